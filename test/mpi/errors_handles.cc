// Handles that name nothing: random bits, small numbers, freed ones, ones of another kind, each used in several calls.
#include <cstdint>
#include <vector>

#include "test/mpi/errors.h"

namespace {

using errors::handle;

int a[8], b[64], n;

// bits: a handle value that names no object of any kind.
void bits(std::uint64_t value) {
  char hex[32];
  std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(value));
  auto text = [&](const char* argument, const char* kind) {
    return std::string(argument) + " is " + hex + ", which names no " + kind +
           ": never created, already freed, or of another kind";
  };
  auto comm = handle<MPI_Comm>(value);
  WRONG(MPI_Send(a, 1, MPI_INT, 0, 0, comm), MPI_ERR_COMM, text("comm", "communicator"));
  WRONG(MPI_Barrier(comm), MPI_ERR_COMM, text("comm", "communicator"));
  WRONG(MPI_Comm_size(comm, &n), MPI_ERR_COMM, text("comm", "communicator"));
  WRONG(MPI_Comm_free(&comm), MPI_ERR_COMM, text("comm", "communicator"));
  auto type = handle<MPI_Datatype>(value);
  WRONG(MPI_Send(a, 1, type, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE, text("datatype", "datatype"));
  WRONG(MPI_Bcast(a, 1, type, 0, MPI_COMM_WORLD), MPI_ERR_TYPE, text("datatype", "datatype"));
  WRONG(MPI_Allgather(a, 1, type, b, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TYPE, text("sendtype", "datatype"));
  WRONG(MPI_Type_size(type, &n), MPI_ERR_TYPE, text("datatype", "datatype"));
  WRONG(MPI_Type_free(&type), MPI_ERR_TYPE, text("datatype", "datatype"));
  auto op = handle<MPI_Op>(value);
  WRONG(MPI_Allreduce(a, b, 1, MPI_INT, op, MPI_COMM_WORLD), MPI_ERR_OP, text("op", "op"));
  WRONG(MPI_Op_free(&op), MPI_ERR_OP, text("op", "op"));
  auto group = handle<MPI_Group>(value);
  WRONG(MPI_Group_size(group, &n), MPI_ERR_GROUP, text("group", "group"));
  WRONG(MPI_Group_free(&group), MPI_ERR_GROUP, text("group", "group"));
  auto request = handle<MPI_Request>(value);
  WRONG(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, text("request", "request"));
  WRONG(MPI_Cancel(&request), MPI_ERR_REQUEST, text("request", "request"));
  WRONG(MPI_Request_free(&request), MPI_ERR_REQUEST, text("request", "request"));
  MPI_Request several[] = {MPI_REQUEST_NULL, request};
  WRONG(MPI_Waitall(2, several, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST, text("array_of_requests[1]", "request"));
  auto info = handle<MPI_Info>(value);
  WRONG(MPI_Info_set(info, "k", "v"), MPI_ERR_INFO, text("info", "info"));
  WRONG(MPI_Info_free(&info), MPI_ERR_INFO, text("info", "info"));
  auto errhandler = handle<MPI_Errhandler>(value);
  WRONG(MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler), MPI_ERR_ERRHANDLER, text("errhandler", "error handler"));
  WRONG(MPI_Errhandler_free(&errhandler), MPI_ERR_ERRHANDLER, text("errhandler", "error handler"));
  auto message = handle<MPI_Message>(value);
  WRONG(MPI_Mrecv(a, 1, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, text("message", "message"));
  auto session = handle<MPI_Session>(value);
  WRONG(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n), MPI_ERR_SESSION, text("session", "session"));
  CHECK(comm == handle<MPI_Comm>(value) && request == handle<MPI_Request>(value));  // a refused handle stays as it was
}

void nulls() {
  WRONG(MPI_Send(a, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM, "comm is MPI_COMM_NULL");
  WRONG(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM, "comm is MPI_COMM_NULL");
  WRONG(MPI_Send(a, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL");
  WRONG(MPI_Allreduce(a, b, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD), MPI_ERR_OP, "op is MPI_OP_NULL");
  WRONG(MPI_Group_size(MPI_GROUP_NULL, &n), MPI_ERR_GROUP, "group is MPI_GROUP_NULL");
  WRONG(MPI_Info_set(MPI_INFO_NULL, "k", "v"), MPI_ERR_INFO, "info is MPI_INFO_NULL*");
  WRONG(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER,
        "errhandler is MPI_ERRHANDLER_NULL");
  MPI_Message message = MPI_MESSAGE_NULL;
  WRONG(MPI_Mrecv(a, 1, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, "message is MPI_MESSAGE_NULL*");
  MPI_Request request = MPI_REQUEST_NULL;
  WRONG(MPI_Start(&request), MPI_ERR_REQUEST, "request is MPI_REQUEST_NULL: there is nothing to start");
  WRONG(MPI_Request_free(&request), MPI_ERR_REQUEST, "request is MPI_REQUEST_NULL: there is nothing to free");
}

const char* const none = "*, which names no *: never created, already freed, or of another kind";

void other_kinds() {
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  auto as_comm = reinterpret_cast<MPI_Comm>(group);
  WRONG(MPI_Comm_rank(as_comm, &n), MPI_ERR_COMM, none);
  WRONG(MPI_Comm_rank(reinterpret_cast<MPI_Comm>(MPI_INT), &n), MPI_ERR_COMM, none);
  WRONG(MPI_Type_size(reinterpret_cast<MPI_Datatype>(group), &n), MPI_ERR_TYPE, none);
  WRONG(MPI_Send(a, 1, reinterpret_cast<MPI_Datatype>(MPI_SUM), 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE, none);
  WRONG(MPI_Allreduce(a, b, 1, MPI_INT, reinterpret_cast<MPI_Op>(MPI_INT), MPI_COMM_WORLD), MPI_ERR_OP, none);
  WRONG(MPI_Group_size(reinterpret_cast<MPI_Group>(MPI_COMM_WORLD), &n), MPI_ERR_GROUP, none);
  MPI_Group_free(&group);
}

void sum(void*, void*, int*, MPI_Datatype*) {}
void handler(MPI_Comm*, int*, ...) {}

// Freed, then used again; and once more after others have taken its place.
void freed() {
  MPI_Comm comm, comm2;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  comm2 = comm;
  MPI_Comm_free(&comm);
  WRONG(MPI_Barrier(comm2), MPI_ERR_COMM, none);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  WRONG(MPI_Comm_size(comm2, &n), MPI_ERR_COMM, none);
  WRONG(MPI_Comm_free(&comm2), MPI_ERR_COMM, none);
  MPI_Comm_free(&comm);
  WRONG(MPI_Comm_free(&comm), MPI_ERR_COMM, "comm is MPI_COMM_NULL");

  MPI_Datatype type, type2;
  MPI_Type_contiguous(2, MPI_INT, &type);
  type2 = type;
  MPI_Type_free(&type);
  WRONG(MPI_Type_size(type2, &n), MPI_ERR_TYPE, none);
  for (int i = 0; i < 3000; ++i) {  // slots come round, generations differ
    MPI_Type_contiguous(2, MPI_INT, &type);
    CHECK(type != type2);
    MPI_Type_free(&type);
  }
  WRONG(MPI_Type_commit(&type2), MPI_ERR_TYPE, none);
  WRONG(MPI_Type_free(&type), MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL");
}

void freed_too() {
  MPI_Op op, op2;
  MPI_Op_create(sum, 1, &op);
  op2 = op;
  MPI_Op_free(&op);
  WRONG(MPI_Allreduce(a, b, 1, MPI_INT, op2, MPI_COMM_WORLD), MPI_ERR_OP, none);
  WRONG(MPI_Op_free(&op2), MPI_ERR_OP, none);

  MPI_Group group, group2;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  group2 = group;
  MPI_Group_free(&group);
  WRONG(MPI_Group_size(group2, &n), MPI_ERR_GROUP, none);

  MPI_Info info, info2;
  MPI_Info_create(&info);
  info2 = info;
  MPI_Info_free(&info);
  WRONG(MPI_Info_set(info2, "k", "v"), MPI_ERR_INFO, none);

  MPI_Errhandler errhandler, errhandler2;
  MPI_Comm_create_errhandler(handler, &errhandler);
  errhandler2 = errhandler;
  MPI_Errhandler_free(&errhandler);
  WRONG(MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler2), MPI_ERR_ERRHANDLER, none);

  MPI_Request request, request2;
  MPI_Irecv(a, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  request2 = request;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  WRONG(MPI_Wait(&request2, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, none);
}

void freed_keys() {
  int key, key2;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  key2 = key;
  MPI_Comm_free_keyval(&key);
  CHECK(key == MPI_KEYVAL_INVALID);
  WRONG(MPI_Comm_set_attr(MPI_COMM_WORLD, key2, a), MPI_ERR_KEYVAL, "keyval is *, which was freed");
  WRONG(MPI_Comm_free_keyval(&key2), MPI_ERR_KEYVAL, "keyval is *, which was freed");
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, nullptr);
  WRONG(MPI_Comm_set_attr(MPI_COMM_WORLD, key, a), MPI_ERR_KEYVAL,
        "keyval is *, which is for datatypes, not for communicators");
  MPI_Type_free_keyval(&key);
}

void predefined() {
  MPI_Datatype type = MPI_INT;
  WRONG(MPI_Type_free(&type), MPI_ERR_TYPE, "datatype is MPI_INT, which is predefined and cannot be freed");
  MPI_Op op = MPI_SUM;
  WRONG(MPI_Op_free(&op), MPI_ERR_OP, "op is MPI_SUM, which is predefined and cannot be freed");
  MPI_Comm comm = MPI_COMM_WORLD;
  WRONG(MPI_Comm_free(&comm), MPI_ERR_COMM, "comm is MPI_COMM_WORLD, which is predefined and cannot be freed");
  MPI_Info info = MPI_INFO_ENV;
  WRONG(MPI_Info_free(&info), MPI_ERR_INFO, "info is MPI_INFO_ENV, which can only be read");
  CHECK(type == MPI_INT && op == MPI_SUM && comm == MPI_COMM_WORLD);
  MPI_Errhandler errhandler = MPI_ERRORS_RETURN;  // what MPI_Comm_get_errhandler gave is to be freed, whatever it is
  CHECK(MPI_Errhandler_free(&errhandler) == MPI_SUCCESS && errhandler == MPI_ERRHANDLER_NULL);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS);
}

void too_many() {
  constexpr int kMost = 1 << 18;
  std::vector<MPI_Info> all(kMost + 1);
  int made = 0;
  while (made <= kMost && MPI_Info_create(&all[std::size_t(made)]) == MPI_SUCCESS) ++made;
  CHECK(made > kMost / 2 && made <= kMost);
  MPI_Info one = MPI_INFO_ENV;
  const char* text = "all 262144 handles of this process are in use; free requests and other objects first";
  WRONG(MPI_Info_create(&one), MPI_ERR_NO_MEM, text);
  CHECK(one == MPI_INFO_NULL);
  MPI_Request request;
  WRONG(MPI_Irecv(a, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request), MPI_ERR_NO_MEM, text);
  CHECK(request == MPI_REQUEST_NULL);
  for (int i = 0; i < made; ++i) MPI_Info_free(&all[std::size_t(i)]);
  CHECK(MPI_Info_create(&one) == MPI_SUCCESS && MPI_Info_free(&one) == MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  errors::start(&argc, &argv);
  if (errors::ours())  // others crash
    for (std::uint64_t value :
         {0x12345678ull, 7ull, 0x3ffull, 0x7fffffffffffull, ~0ull, 0xc4000000ull, 0xdeadbeefcafef00dull})
      bits(value);
  nulls();
  if (errors::ours()) other_kinds();
  if (errors::ours()) freed(), freed_too(), freed_keys(), too_many();
  predefined();
  MPI_Finalize();
}
