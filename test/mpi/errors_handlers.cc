// Who hears of an error: user handlers, their inheritance, calling them by hand; classes and codes that users add; and
// the text of every class.
#include <vector>

#include "test/mpi/errors.h"

namespace {

struct Heard {
  MPI_Comm comm;
  int code;
};
std::vector<Heard> heard;
void listen(MPI_Comm* comm, int* code, ...) { heard.push_back({*comm, *code}); }

int session_code;
void listen_session(MPI_Session*, int* code, ...) { session_code = *code; }

void user_handler() {
  MPI_Comm comm, child, cart;
  MPI_Errhandler mine, got;
  int one[] = {check::size()}, zero[] = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(listen, &mine);
  CHECK(MPI_Comm_set_errhandler(comm, mine) == MPI_SUCCESS);
  MPI_Errhandler_free(&mine);  // comm keeps it
  CHECK(mine == MPI_ERRHANDLER_NULL);
  int x = 0;
  const int code = MPI_Send(&x, 1, MPI_INT, check::size(), 0, comm);
  CHECK(heard.size() == 1 && heard[0].comm == comm && (heard[0].code == code || !errors::ours()) &&
        errors::class_of(code) == MPI_ERR_RANK);
  CHECK(!errors::ours() ||
        errors::matches("MPI_ERR_RANK: MPI_Send: dest is *", errors::text_of(heard[0].code).c_str()));
  // What is made from it inherits the handler.
  MPI_Comm_dup(comm, &child);
  MPI_Barrier(child);
  MPI_Send(&x, 1, MPI_INT, -9, 0, child);
  CHECK(heard.size() == 2 && heard[1].comm == child);
  MPI_Cart_create(comm, 1, one, zero, 0, &cart);
  MPI_Bcast(&x, 1, MPI_INT, -9, cart);
  CHECK(heard.size() == 3 && heard[2].comm == cart && errors::class_of(heard[2].code) == MPI_ERR_ROOT);
  // And a change to the child is its own.
  MPI_Comm_set_errhandler(child, MPI_ERRORS_RETURN);
  CHECK(errors::class_of(MPI_Send(&x, 1, MPI_INT, -9, 0, child)) == MPI_ERR_RANK && heard.size() == 3);
  // Of a request, its communicator's.
  MPI_Request r;
  int two[2] = {};
  MPI_Irecv(&x, 1, MPI_INT, check::rank(), 0, comm, &r);
  MPI_Send(two, 2, MPI_INT, check::rank(), 0, comm);
  CHECK(errors::class_of(MPI_Wait(&r, MPI_STATUS_IGNORE)) == MPI_ERR_TRUNCATE);
  CHECK(heard.size() == 4 && heard[3].comm == comm && errors::class_of(heard[3].code) == MPI_ERR_TRUNCATE);
  CHECK(MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER) == MPI_SUCCESS);
  CHECK(heard.size() == 5 && heard[4].code == MPI_ERR_OTHER);
  CHECK(MPI_Comm_get_errhandler(comm, &got) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_errhandler(child, got) == MPI_SUCCESS);
  MPI_Errhandler_free(&got);
  MPI_Send(&x, 1, MPI_INT, -9, 0, child);
  CHECK(heard.size() == 6 && heard[5].comm == child);
  MPI_Comm_free(&comm), MPI_Comm_free(&child), MPI_Comm_free(&cart);
}

int refuse(MPI_Comm, int, void*, void*) { return MPI_ERR_OTHER; }

// Of a communicator that cannot be freed its own handler hears.
void a_refused_free() {
  MPI_Comm comm;
  MPI_Errhandler mine;
  int key;
  MPI_Comm_create_errhandler(listen, &mine);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &key, nullptr);
  heard.clear();
  for (auto end : {MPI_Comm_free, MPI_Comm_disconnect}) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, mine);
    MPI_Comm_set_attr(comm, key, nullptr);
    CHECK(end(&comm) != MPI_SUCCESS && comm != MPI_COMM_NULL && !heard.empty() && heard.back().comm == comm);
  }
  CHECK(heard.size() == 2);
  MPI_Errhandler_free(&mine);
}

// Of what belongs to no communicator MPI_COMM_SELF's handler hears (MPI-5.0 section 9.3).
void without_a_communicator() {
  MPI_Errhandler mine;
  int n;
  MPI_Comm_create_errhandler(listen, &mine);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, mine);
  heard.clear();
  CHECK(errors::class_of(MPI_Type_size(MPI_DATATYPE_NULL, &n)) == MPI_ERR_TYPE);
  CHECK(heard.size() == 1 && heard[0].comm == MPI_COMM_SELF);
  CHECK(errors::class_of(MPI_Comm_size(MPI_COMM_NULL, &n)) == MPI_ERR_COMM && heard.size() == 2);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&mine);
}

void wrong_handlers() {
  MPI_Errhandler for_sessions;
  MPI_Session session;
  MPI_Session_create_errhandler(listen_session, &for_sessions);
  WRONG(MPI_Comm_set_errhandler(MPI_COMM_WORLD, for_sessions), MPI_ERR_ERRHANDLER,
        "errhandler was not made by MPI_Comm_create_errhandler, so it can't serve a communicator");
  CHECK(MPI_Session_init(MPI_INFO_NULL, for_sessions, &session) == MPI_SUCCESS);
  MPI_Group group;
  const int code = MPI_Group_from_session_pset(session, "mpi://NONE", &group);
  CHECK(code != MPI_SUCCESS && session_code == code);
  CHECK(!errors::ours() || errors::matches("*mpi://NONE*", errors::text_of(code).c_str()));
  CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS && MPI_Errhandler_free(&for_sessions) == MPI_SUCCESS);
}

void added() {
  int c, code, other, last, flag, *used;
  CHECK(MPI_Add_error_class(&c) == MPI_SUCCESS && c > MPI_ERR_LASTCODE);
  CHECK(MPI_Add_error_code(c, &code) == MPI_SUCCESS && code != c);
  CHECK(MPI_Add_error_code(MPI_ERR_IO, &other) == MPI_SUCCESS);
  CHECK(errors::class_of(c) == c && errors::class_of(code) == c && errors::class_of(other) == MPI_ERR_IO);
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &used, &flag) == MPI_SUCCESS && flag);
  last = *used;
  CHECK(last >= code && last >= other);
  CHECK(errors::text_of(code).empty());
  CHECK(MPI_Add_error_string(code, "out of cheese") == MPI_SUCCESS && errors::text_of(code) == "out of cheese");
  CHECK(MPI_Add_error_string(c, "dairy") == MPI_SUCCESS && errors::text_of(c) == "dairy");
  heard.clear();
  MPI_Errhandler mine;
  MPI_Comm_create_errhandler(listen, &mine);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_set_errhandler(comm, mine);
  CHECK(MPI_Comm_call_errhandler(comm, code) == MPI_SUCCESS && heard.size() == 1 && heard[0].code == code);
  MPI_Errhandler_free(&mine);
  MPI_Comm_free(&comm);
  WRONG(MPI_Add_error_string(MPI_ERR_RANK, "mine"), MPI_ERR_ARG,
        "errorcode is 6, which is no class or code that was added");
  WRONG(MPI_Add_error_code(-5, &other), MPI_ERR_ARG, "errorclass is -5, which is no error class*");
  WRONG(MPI_Error_class(-5, &other), MPI_ERR_ARG, "errorcode is -5, which is no error code");
  char text[MPI_MAX_ERROR_STRING];
  WRONG(MPI_Error_string(-5, text, &other), MPI_ERR_ARG, "errorcode is -5, which is no error code");
}

#define ROW(c) \
  { c, #c }
const struct {
  int c;
  const char* name;
} kClasses[] = {
    ROW(MPI_ERR_BUFFER),
    ROW(MPI_ERR_COUNT),
    ROW(MPI_ERR_TYPE),
    ROW(MPI_ERR_TAG),
    ROW(MPI_ERR_COMM),
    ROW(MPI_ERR_RANK),
    ROW(MPI_ERR_REQUEST),
    ROW(MPI_ERR_ROOT),
    ROW(MPI_ERR_GROUP),
    ROW(MPI_ERR_OP),
    ROW(MPI_ERR_TOPOLOGY),
    ROW(MPI_ERR_DIMS),
    ROW(MPI_ERR_ARG),
    ROW(MPI_ERR_UNKNOWN),
    ROW(MPI_ERR_TRUNCATE),
    ROW(MPI_ERR_OTHER),
    ROW(MPI_ERR_INTERN),
    ROW(MPI_ERR_PENDING),
    ROW(MPI_ERR_IN_STATUS),
    ROW(MPI_ERR_ACCESS),
    ROW(MPI_ERR_AMODE),
    ROW(MPI_ERR_ASSERT),
    ROW(MPI_ERR_BAD_FILE),
    ROW(MPI_ERR_BASE),
    ROW(MPI_ERR_CONVERSION),
    ROW(MPI_ERR_DISP),
    ROW(MPI_ERR_DUP_DATAREP),
    ROW(MPI_ERR_FILE_EXISTS),
    ROW(MPI_ERR_FILE_IN_USE),
    ROW(MPI_ERR_FILE),
    ROW(MPI_ERR_INFO_KEY),
    ROW(MPI_ERR_INFO_NOKEY),
    ROW(MPI_ERR_INFO_VALUE),
    ROW(MPI_ERR_INFO),
    ROW(MPI_ERR_IO),
    ROW(MPI_ERR_KEYVAL),
    ROW(MPI_ERR_LOCKTYPE),
    ROW(MPI_ERR_NAME),
    ROW(MPI_ERR_NO_MEM),
    ROW(MPI_ERR_NOT_SAME),
    ROW(MPI_ERR_NO_SPACE),
    ROW(MPI_ERR_NO_SUCH_FILE),
    ROW(MPI_ERR_PORT),
    ROW(MPI_ERR_QUOTA),
    ROW(MPI_ERR_READ_ONLY),
    ROW(MPI_ERR_RMA_ATTACH),
    ROW(MPI_ERR_RMA_CONFLICT),
    ROW(MPI_ERR_RMA_RANGE),
    ROW(MPI_ERR_RMA_SHARED),
    ROW(MPI_ERR_RMA_SYNC),
    ROW(MPI_ERR_RMA_FLAVOR),
    ROW(MPI_ERR_SERVICE),
    ROW(MPI_ERR_SIZE),
    ROW(MPI_ERR_SPAWN),
    ROW(MPI_ERR_UNSUPPORTED_DATAREP),
    ROW(MPI_ERR_UNSUPPORTED_OPERATION),
    ROW(MPI_ERR_WIN),
    ROW(MPI_ERR_PROC_ABORTED),
    ROW(MPI_ERR_VALUE_TOO_LARGE),
    ROW(MPI_ERR_SESSION),
    ROW(MPI_ERR_ERRHANDLER),
    ROW(MPI_ERR_ABI),
};

void every_class() {
  for (const auto& row : kClasses) {
    CHECK(errors::class_of(row.c) == row.c);
    const std::string text = errors::text_of(row.c);
    CHECK(!errors::ours() || text.find(std::string(row.name) + ": ") == 0);
    CHECK(text.size() > 3);
  }
  CHECK(errors::class_of(MPI_SUCCESS) == MPI_SUCCESS && !errors::text_of(MPI_SUCCESS).empty());
}

// A code's text lasts while not many more errors come, and its class always.
void codes_last() {
  int n;
  const int code = MPI_Comm_size(MPI_COMM_NULL, &n);
  const std::string text = errors::text_of(code);
  for (int i = 0; i < 100; ++i) (void)MPI_Type_size(MPI_DATATYPE_NULL, &n);
  CHECK(errors::text_of(code) == text);
  for (int i = 0; i < 1000; ++i) (void)MPI_Type_size(MPI_DATATYPE_NULL, &n);
  CHECK(errors::class_of(code) == MPI_ERR_COMM && !errors::text_of(code).empty());
}

}  // namespace

int main(int argc, char** argv) {
  errors::start(&argc, &argv);
  user_handler();
  a_refused_free();
  without_a_communicator();
  wrong_handlers();
  added();
  every_class();
  codes_last();
  errors::still_works();
  MPI_Finalize();
}
