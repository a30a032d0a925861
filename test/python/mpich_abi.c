/* A program for MPICH's mpi.h, run on our libmpi.so.12: each constant that differs between the two ABIs is used where
 * the library would notice a wrong value. mpich_abi_test.py builds and runs it with 1 to 4 ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, failures, checks;

static void check(int good, const char *what, int line) {
  ++checks;
  if (good) return;
  ++failures;
  printf("rank %d, line %d: not so: %s\n", rank, line, what);
}
#define CHECK(what) check((what), #what, __LINE__)

static int class_of(int code) {
  int class = -1;
  MPI_Error_class(code, &class);
  return class;
}

static void named_class(int class, const char *name) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length;
  CHECK(MPI_Error_string(class, text, &length) == MPI_SUCCESS && class_of(class) == class);
  if (strncmp(text, name, strlen(name))) printf("%s is %s\n", name, text);
  CHECK(!strncmp(text, name, strlen(name)) && strspn(text + strlen(name), ": ") > 0);
}
#define CLASS(name) named_class(name, #name)

static void classes(void) {
  CLASS(MPI_ERR_BUFFER), CLASS(MPI_ERR_COUNT), CLASS(MPI_ERR_TYPE), CLASS(MPI_ERR_TAG), CLASS(MPI_ERR_COMM);
  CLASS(MPI_ERR_RANK), CLASS(MPI_ERR_REQUEST), CLASS(MPI_ERR_ROOT), CLASS(MPI_ERR_GROUP), CLASS(MPI_ERR_OP);
  CLASS(MPI_ERR_TOPOLOGY), CLASS(MPI_ERR_DIMS), CLASS(MPI_ERR_ARG), CLASS(MPI_ERR_UNKNOWN), CLASS(MPI_ERR_TRUNCATE);
  CLASS(MPI_ERR_OTHER), CLASS(MPI_ERR_INTERN), CLASS(MPI_ERR_PENDING), CLASS(MPI_ERR_IN_STATUS), CLASS(MPI_ERR_ACCESS);
  CLASS(MPI_ERR_AMODE), CLASS(MPI_ERR_ASSERT), CLASS(MPI_ERR_BAD_FILE), CLASS(MPI_ERR_BASE), CLASS(MPI_ERR_CONVERSION);
  CLASS(MPI_ERR_DISP), CLASS(MPI_ERR_DUP_DATAREP), CLASS(MPI_ERR_FILE_EXISTS), CLASS(MPI_ERR_FILE_IN_USE);
  CLASS(MPI_ERR_FILE), CLASS(MPI_ERR_INFO_KEY), CLASS(MPI_ERR_INFO_NOKEY), CLASS(MPI_ERR_INFO_VALUE), CLASS(MPI_ERR_INFO);
  CLASS(MPI_ERR_IO), CLASS(MPI_ERR_KEYVAL), CLASS(MPI_ERR_LOCKTYPE), CLASS(MPI_ERR_NAME), CLASS(MPI_ERR_NO_MEM);
  CLASS(MPI_ERR_NOT_SAME), CLASS(MPI_ERR_NO_SPACE), CLASS(MPI_ERR_NO_SUCH_FILE), CLASS(MPI_ERR_PORT), CLASS(MPI_ERR_QUOTA);
  CLASS(MPI_ERR_READ_ONLY), CLASS(MPI_ERR_RMA_ATTACH), CLASS(MPI_ERR_RMA_CONFLICT), CLASS(MPI_ERR_RMA_RANGE);
  CLASS(MPI_ERR_RMA_SHARED), CLASS(MPI_ERR_RMA_SYNC), CLASS(MPI_ERR_SERVICE), CLASS(MPI_ERR_SIZE), CLASS(MPI_ERR_SPAWN);
  CLASS(MPI_ERR_UNSUPPORTED_DATAREP), CLASS(MPI_ERR_UNSUPPORTED_OPERATION), CLASS(MPI_ERR_WIN), CLASS(MPI_ERR_RMA_FLAVOR);
  CLASS(MPI_ERR_PROC_ABORTED), CLASS(MPI_ERR_VALUE_TOO_LARGE), CLASS(MPI_ERR_SESSION), CLASS(MPI_ERR_ERRHANDLER);
  CLASS(MPI_ERR_ABI);
  int mine, code, *last, flag;
  char text[MPI_MAX_ERROR_STRING];
  CHECK(MPI_Add_error_class(&mine) == MPI_SUCCESS && mine > MPI_ERR_LASTCODE);
  CHECK(MPI_Add_error_code(mine, &code) == MPI_SUCCESS && class_of(code) == mine);
  CHECK(MPI_Add_error_string(code, "mine") == MPI_SUCCESS && MPI_Error_string(code, text, &flag) == MPI_SUCCESS);
  CHECK(!strcmp(text, "mine"));
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag) == MPI_SUCCESS && flag && *last == code);
}

/* What a wrong argument answers, with a text of its own. */
static void wrong(int code, int class, int line) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  if (class_of(code) != class) printf("line %d: class %d, not %d\n", line, class_of(code), class);
  CHECK(class_of(code) == class && code <= MPI_ERR_LASTCODE);
  CHECK(MPI_Error_string(code, text, &length) == MPI_SUCCESS && strstr(text, "MPI_"));
}
#define WRONG(call, class) wrong((call), (class), __LINE__)

#include "mpich_types.h"
#include "mpich_windows.h"

static void errors(void) {
  int x = 0, flag;
  MPI_Request null = MPI_REQUEST_NULL;
  MPI_Datatype type;
  MPI_Comm comm;
  WRONG(MPI_Send(&x, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
  WRONG(MPI_Send(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
  WRONG(MPI_Send(&x, 1, MPI_INT, MPI_ROOT, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
  WRONG(MPI_Send(&x, 1, MPI_INT, -4, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
  WRONG(MPI_Recv(&x, 1, MPI_INT, -4, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_RANK);
  WRONG(MPI_Send(&x, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD), MPI_ERR_TAG);
  WRONG(MPI_Recv(&x, 1, MPI_INT, 0, -2, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TAG);
  WRONG(MPI_Send(&x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
  WRONG(MPI_Send(&x, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
  WRONG(MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
  WRONG(MPI_Send(&x, 1, MPI_INT, 0, 0, (MPI_Comm)MPI_INT), MPI_ERR_COMM);
  WRONG(MPI_Send(MPI_IN_PLACE, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  WRONG(MPI_Bcast(&x, 1, MPI_INT, size, MPI_COMM_WORLD), MPI_ERR_ROOT);
  WRONG(MPI_Bcast(&x, 1, MPI_INT, MPI_PROC_NULL, MPI_COMM_WORLD), MPI_ERR_ROOT);
  WRONG(MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD), MPI_ERR_OP);
  WRONG(MPI_Group_size(MPI_GROUP_NULL, &x), MPI_ERR_GROUP);
  WRONG(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &x, &flag), MPI_ERR_KEYVAL);
  WRONG(MPI_Cart_get(MPI_COMM_WORLD, 1, &x, &x, &x), MPI_ERR_TOPOLOGY);
  WRONG(MPI_Cancel(&null), MPI_ERR_REQUEST);
  WRONG(MPI_Type_create_subarray(1, (int[]){4}, (int[]){2}, (int[]){0}, 12, MPI_INT, &type), MPI_ERR_ARG);
  WRONG(MPI_Comm_split_type(MPI_COMM_WORLD, 221, 0, MPI_INFO_NULL, &comm), MPI_ERR_ARG);
  if (rank == 0) {
    MPI_Status st;
    MPI_Request both[2];
    char small[4], large[8] = "1234567";
    MPI_Irecv(small, 4, MPI_BYTE, 0, 8, MPI_COMM_SELF, &both[0]);
    MPI_Send(large, 8, MPI_BYTE, 0, 8, MPI_COMM_SELF);
    WRONG(MPI_Wait(&both[0], &st), MPI_ERR_TRUNCATE);
    MPI_Status two[2];
    MPI_Irecv(small, 4, MPI_BYTE, 0, 9, MPI_COMM_SELF, &both[0]);
    MPI_Isend(large, 8, MPI_BYTE, 0, 9, MPI_COMM_SELF, &both[1]);
    CHECK(class_of(MPI_Waitall(2, both, two)) == MPI_ERR_IN_STATUS);
    CHECK(class_of(two[0].MPI_ERROR) == MPI_ERR_TRUNCATE && two[1].MPI_ERROR == MPI_SUCCESS);
  }
}

static void messages(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double out[3] = {rank, 2, 3}, in[4] = {0};
  MPI_Status st;
  int n;
  memset(&st, 0x55, sizeof st);
  MPI_Request request;
  MPI_Irecv(in, 4, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  CHECK(request != MPI_REQUEST_NULL);
  CHECK(MPI_Send(out, 3, MPI_DOUBLE, next, 77, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, &st) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
  CHECK(st.MPI_SOURCE == before && st.MPI_TAG == 77 && st.MPI_ERROR == 0x55555555 && in[0] == before);
  CHECK(MPI_Get_count(&st, MPI_DOUBLE, &n) == MPI_SUCCESS && n == 3);
  CHECK(MPI_Get_count(&st, MPI_CHAR, &n) == MPI_SUCCESS && n == 24);
  CHECK(MPI_Test_cancelled(&st, &n) == MPI_SUCCESS && n == 0);
  CHECK(MPI_Wait(&request, &st) == MPI_SUCCESS && st.MPI_SOURCE == MPI_ANY_SOURCE && st.MPI_TAG == MPI_ANY_TAG);
  CHECK(MPI_Recv(in, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &st) == MPI_SUCCESS);
  CHECK(st.MPI_SOURCE == MPI_PROC_NULL && st.MPI_TAG == MPI_ANY_TAG);
  CHECK(MPI_Send(in, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Status_set_elements(&st, MPI_INT, 6) == MPI_SUCCESS && MPI_Status_set_cancelled(&st, 1) == MPI_SUCCESS);
  CHECK(MPI_Get_elements(&st, MPI_INT, &n) == MPI_SUCCESS && n == 6 && st.MPI_SOURCE == MPI_PROC_NULL);
  CHECK(MPI_Test_cancelled(&st, &n) == MPI_SUCCESS && n == 1);
  MPI_Message message;
  CHECK(MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &st) == MPI_SUCCESS && message == MPI_MESSAGE_NO_PROC);
  CHECK(MPI_Mrecv(in, 0, MPI_INT, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS && message == MPI_MESSAGE_NULL);
  enum { kMany = 40 };                                  /* more than the library keeps on its stack */
  MPI_Request many[2 * kMany];
  MPI_Status each[2 * kMany];
  int values[kMany];
  for (int i = 0; i < kMany; ++i) MPI_Irecv(&values[i], 1, MPI_INT, before, i, MPI_COMM_WORLD, &many[i]);
  for (int i = 0; i < kMany; ++i) MPI_Isend(&i, 1, MPI_INT, next, i, MPI_COMM_WORLD, &many[kMany + i]);
  CHECK(MPI_Waitall(2 * kMany, many, each) == MPI_SUCCESS);
  for (int i = 0; i < kMany; ++i) CHECK(each[i].MPI_TAG == i && each[i].MPI_SOURCE == before && many[i] == MPI_REQUEST_NULL);
  CHECK(MPI_Waitall(2 * kMany, many, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  int index;
  CHECK(MPI_Waitany(2, many, &index, MPI_STATUS_IGNORE) == MPI_SUCCESS && index == MPI_UNDEFINED);
  char buffer[1000 + MPI_BSEND_OVERHEAD];
  void *back = NULL;
  CHECK(MPI_Buffer_attach(buffer, sizeof buffer) == MPI_SUCCESS);
  CHECK(MPI_Bsend(out, 1, MPI_DOUBLE, next, 3, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Recv(in, 1, MPI_DOUBLE, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Buffer_detach(&back, &n) == MPI_SUCCESS && back == buffer && n == (int)sizeof buffer);
  CHECK(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0) == MPI_SUCCESS && MPI_Buffer_detach(&back, &n) == MPI_SUCCESS);
  CHECK(back == MPI_BUFFER_AUTOMATIC);
}

static MPI_Datatype op_saw;
static void add(void *in, void *inout, int *n, MPI_Datatype *type) {
  for (int i = 0; i < *n; ++i) ((int *)inout)[i] += ((int *)in)[i];
  op_saw = *type;
}

static void predefined_op(MPI_Op op, int a, int b, int expected, int line) {
  const int code = MPI_Reduce_local(&a, &b, 1, MPI_INT, op);
  if (code || b != expected) printf("line %d: %d, not %d\n", line, b, expected);
  CHECK(code == MPI_SUCCESS && b == expected && MPI_Op_f2c(MPI_Op_c2f(op)) == op);
}
#define OP(op, a, b, expected) predefined_op(op, a, b, expected, __LINE__)

static void ops(void) {
  OP(MPI_MAX, 6, 3, 6), OP(MPI_MIN, 6, 3, 3), OP(MPI_SUM, 6, 3, 9), OP(MPI_PROD, 6, 3, 18), OP(MPI_LAND, 6, 0, 0);
  OP(MPI_BAND, 6, 3, 2), OP(MPI_LOR, 6, 0, 1), OP(MPI_BOR, 6, 3, 7), OP(MPI_LXOR, 6, 3, 0), OP(MPI_BXOR, 6, 3, 5);
  int yes = -1;                                         /* those of MPI_Accumulate alone */
  CHECK(MPI_Op_commutative(MPI_REPLACE, &yes) == MPI_SUCCESS && yes == 0);
  CHECK(MPI_Op_commutative(MPI_NO_OP, &yes) == MPI_SUCCESS);
  int pair[2] = {6, 1}, with[2] = {3, 2};
  CHECK(MPI_Reduce_local(pair, with, 1, MPI_2INT, MPI_MAXLOC) == MPI_SUCCESS && with[0] == 6 && with[1] == 1);
  with[0] = 3, with[1] = 2;
  CHECK(MPI_Reduce_local(pair, with, 1, MPI_2INT, MPI_MINLOC) == MPI_SUCCESS && with[0] == 3 && with[1] == 2);
  MPI_Op mine;
  int sum = rank, all[64];
  _Float16 half = 1.5f;
  CHECK(MPI_Allreduce(MPI_IN_PLACE, &half, 1, MPIX_C_FLOAT16, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS && half == 1.5f * size);
  CHECK(MPI_Op_create(add, 1, &mine) == MPI_SUCCESS);
  CHECK(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, mine, MPI_COMM_WORLD) == MPI_SUCCESS && sum == size * (size - 1) / 2);
  CHECK(size == 1 || op_saw == MPI_INT);
  CHECK(MPI_Op_free(&mine) == MPI_SUCCESS && mine == MPI_OP_NULL);
  all[rank] = rank;
  CHECK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int i = 0; i < size; ++i) CHECK(all[i] == i);
}

static int copies, deletes, handler_code;
static int copy(MPI_Comm comm, int key, void *extra, void *value, void *out, int *flag) {
  CHECK(comm == MPI_COMM_SELF && extra == &copies && value == &deletes);
  (void)key;
  ++copies, *flag = 1;
  *(void **)out = value;
  return MPI_SUCCESS;
}
static int drop(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  return ++deletes == 1 ? MPI_ERR_TOPOLOGY : MPI_SUCCESS;
}
static void handle(MPI_Comm *comm, int *code, ...) {
  CHECK(*comm == MPI_COMM_SELF);
  handler_code = *code;
}
static int query(void *extra, MPI_Status *st) {
  MPI_Status_set_elements(st, MPI_INT, 5);
  MPI_Status_set_cancelled(st, 0);
  st->MPI_SOURCE = MPI_UNDEFINED, st->MPI_TAG = 12;
  return extra ? MPI_ERR_ROOT : MPI_SUCCESS;
}
static int no_free(void *extra) { return extra ? MPI_SUCCESS : MPI_SUCCESS; }
static int no_cancel(void *extra, int complete) { return extra && complete ? MPI_SUCCESS : MPI_SUCCESS; }

static void callbacks(void) {
  int key, flag, n;
  void *value;
  MPI_Comm other;
  CHECK(MPI_Comm_create_keyval(copy, drop, &key, &copies) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_attr(MPI_COMM_SELF, key, &deletes) == MPI_SUCCESS && MPI_Comm_dup(MPI_COMM_SELF, &other) == MPI_SUCCESS);
  CHECK(MPI_Comm_get_attr(other, key, &value, &flag) == MPI_SUCCESS && flag && value == &deletes && copies == 1);
  WRONG(MPI_Comm_delete_attr(other, key), MPI_ERR_TOPOLOGY);
  CHECK(MPI_Comm_free(&other) == MPI_SUCCESS && other == MPI_COMM_NULL && MPI_Comm_delete_attr(MPI_COMM_SELF, key) == MPI_SUCCESS);
  CHECK(deletes == 3 && MPI_Comm_free_keyval(&key) == MPI_SUCCESS && key == MPI_KEYVAL_INVALID);
  CHECK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_attr(MPI_COMM_SELF, key, &n) == MPI_SUCCESS && MPI_Comm_dup(MPI_COMM_SELF, &other) == MPI_SUCCESS);
  CHECK(MPI_Comm_get_attr(other, key, &value, &flag) == MPI_SUCCESS && flag && value == &n);
  CHECK(MPI_Comm_free(&other) == MPI_SUCCESS && MPI_Comm_delete_attr(MPI_COMM_SELF, key) == MPI_SUCCESS);

  MPI_Errhandler mine, old;
  CHECK(MPI_Comm_get_errhandler(MPI_COMM_SELF, &old) == MPI_SUCCESS && old == MPI_ERRORS_RETURN);
  CHECK(MPI_Comm_create_errhandler(handle, &mine) == MPI_SUCCESS && MPI_Comm_set_errhandler(MPI_COMM_SELF, mine) == MPI_SUCCESS);
  WRONG(MPI_Send(&n, 1, MPI_INT, 1, 0, MPI_COMM_SELF), MPI_ERR_RANK);
  CHECK(class_of(handler_code) == MPI_ERR_RANK);
  CHECK(MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_ROOT) == MPI_SUCCESS && handler_code == MPI_ERR_ROOT);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  CHECK(MPI_Errhandler_free(&mine) == MPI_SUCCESS && mine == MPI_ERRHANDLER_NULL);

  MPI_Request request;
  MPI_Status st;
  CHECK(MPI_Grequest_start(query, no_free, no_cancel, NULL, &request) == MPI_SUCCESS && MPI_Grequest_complete(request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, &st) == MPI_SUCCESS && st.MPI_TAG == 12 && MPI_Get_count(&st, MPI_INT, &n) == MPI_SUCCESS && n == 5);
  MPI_Grequest_start(query, no_free, no_cancel, &request, &request), MPI_Grequest_complete(request);
  WRONG(MPI_Wait(&request, &st), MPI_ERR_ROOT);
}

/* Functions and variables that only this ABI has. */
static void beside(void) {
  MPI_Status st = {.MPI_SOURCE = 1, .MPI_TAG = 2, .MPI_ERROR = 3}, back;
  MPI_Fint f[MPI_F_STATUS_SIZE];
  CHECK(MPI_Status_c2f(&st, f) == MPI_SUCCESS && f[MPI_F_SOURCE] == 1 && f[MPI_F_TAG] == 2 && f[MPI_F_ERROR] == 3);
  CHECK(MPI_Status_f2c(f, &back) == MPI_SUCCESS && !memcmp(&st, &back, sizeof st));
  CHECK(MPI_UNWEIGHTED != NULL && MPI_WEIGHTS_EMPTY != NULL && MPI_UNWEIGHTED != MPI_WEIGHTS_EMPTY);
  CHECK(MPI_F_STATUS_IGNORE == NULL && MPI_F_STATUSES_IGNORE == NULL);
}

static void communicators(void) {
  int result, *value, flag, provided, dims[1] = {size}, yes[1] = {1}, no[1] = {0}, kind, from, to;
  MPI_Comm other;
  MPI_Group world, swapped;
  CHECK(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result) == MPI_SUCCESS && result == MPI_IDENT);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  CHECK(other != MPI_COMM_NULL && MPI_Comm_f2c(MPI_Comm_c2f(other)) == other);
  CHECK(MPI_Comm_compare(MPI_COMM_WORLD, other, &result) == MPI_SUCCESS && result == MPI_CONGRUENT);
  MPI_Comm_free(&other);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other);
  CHECK(MPI_Comm_compare(MPI_COMM_WORLD, other, &result) == MPI_SUCCESS && result == (size > 1 ? MPI_SIMILAR : MPI_CONGRUENT));
  MPI_Comm_group(MPI_COMM_WORLD, &world), MPI_Comm_group(other, &swapped), MPI_Comm_free(&other);
  CHECK(MPI_Group_compare(world, MPI_GROUP_EMPTY, &result) == MPI_SUCCESS && result == MPI_UNEQUAL);
  int ask[2] = {0, MPI_PROC_NULL}, answer[2];
  CHECK(MPI_Group_translate_ranks(world, 2, ask, swapped, answer) == MPI_SUCCESS && answer[0] == size - 1 && answer[1] == MPI_PROC_NULL);
  CHECK(MPI_Group_translate_ranks(world, 1, ask, MPI_GROUP_EMPTY, answer) == MPI_SUCCESS && answer[0] == MPI_UNDEFINED);
  MPI_Group_free(&world), MPI_Group_free(&swapped);
  CHECK(swapped == MPI_GROUP_NULL);
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &other) == MPI_SUCCESS && other == MPI_COMM_NULL);
  CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &other) == MPI_SUCCESS && other != MPI_COMM_NULL);
  MPI_Comm_free(&other);
  for (int kind_of = 0; kind_of < 3; ++kind_of) {         /* which part of the machine is not said, or nothing smaller */
    const int guides[3] = {MPI_COMM_TYPE_HW_GUIDED, MPI_COMM_TYPE_RESOURCE_GUIDED, MPI_COMM_TYPE_HW_UNGUIDED};
    if (kind_of < 2 || size == 1)
      CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, guides[kind_of], 0, MPI_INFO_NULL, &other) == MPI_SUCCESS && other == MPI_COMM_NULL);
  }
  CHECK(MPI_Topo_test(MPI_COMM_WORLD, &kind) == MPI_SUCCESS && kind == MPI_UNDEFINED);
  CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, no, 0, &other) == MPI_SUCCESS && MPI_Topo_test(other, &kind) == MPI_SUCCESS && kind == MPI_CART);
  CHECK(MPI_Cart_shift(other, 0, 1, &from, &to) == MPI_SUCCESS && from == (rank ? rank - 1 : MPI_PROC_NULL));
  CHECK(to == (rank + 1 < size ? rank + 1 : MPI_PROC_NULL));
  MPI_Comm_free(&other);
  CHECK(MPI_Graph_create(MPI_COMM_WORLD, 1, yes, no, 0, &other) == MPI_SUCCESS);
  if (other != MPI_COMM_NULL) CHECK(MPI_Topo_test(other, &kind) == MPI_SUCCESS && kind == MPI_GRAPH), MPI_Comm_free(&other);
  CHECK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &rank, MPI_UNWEIGHTED, 1, &rank, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &other) == MPI_SUCCESS);
  CHECK(MPI_Topo_test(other, &kind) == MPI_SUCCESS && kind == MPI_DIST_GRAPH);
  CHECK(MPI_Dist_graph_neighbors_count(other, &from, &to, &flag) == MPI_SUCCESS && from == 1 && to == 1 && !flag);
  MPI_Comm_free(&other);
  CHECK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &other) == MPI_SUCCESS);
  CHECK(MPI_Dist_graph_neighbors_count(other, &from, &to, &flag) == MPI_SUCCESS && from == 0 && to == 0 && flag);
  MPI_Comm_free(&other);
  CHECK(MPI_Query_thread(&provided) == MPI_SUCCESS && provided == MPI_THREAD_SERIALIZED);
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag) == MPI_SUCCESS && flag && *value >= 32767);
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag) == MPI_SUCCESS && flag && *value == MPI_ANY_SOURCE);
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &value, &flag) == MPI_SUCCESS && flag && *value == MPI_PROC_NULL);
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag) == MPI_SUCCESS && flag && (*value | 1) == 1);
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag) == MPI_SUCCESS && (!flag || *value >= size));
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag) == MPI_SUCCESS && flag && *value == 0);
  MPI_Info info = MPI_INFO_NULL;
  char text[8];
  CHECK(MPI_Info_get_nkeys(MPI_INFO_ENV, &kind) == MPI_SUCCESS && MPI_Info_create(&info) == MPI_SUCCESS && info != MPI_INFO_NULL);
  CHECK(MPI_Info_set(info, "a", "b") == MPI_SUCCESS && MPI_Info_get(info, "a", 7, text, &flag) == MPI_SUCCESS && flag && !strcmp(text, "b"));
  CHECK(MPI_Info_free(&info) == MPI_SUCCESS && info == MPI_INFO_NULL);
}

int main(int argc, char **argv) {
  int provided, major = 0, minor = 0;
  CHECK(MPI_Abi_get_version(&major, &minor) == MPI_SUCCESS && major == -1 && minor == -1);
  CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided) == MPI_SUCCESS && provided == MPI_THREAD_SERIALIZED);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Errhandler first;
  CHECK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &first) == MPI_SUCCESS && first == MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  types(), classes(), errors(), messages(), ops(), callbacks(), beside(), communicators(), derived(), windows();
  int totals[2] = {checks, failures};
  CHECK(MPI_Allreduce(MPI_IN_PLACE, totals, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  if (rank == 0) printf("%d checks, %d failed\n", totals[0], totals[1]);
  MPI_Finalize();
  return totals[1] != 0;
}
