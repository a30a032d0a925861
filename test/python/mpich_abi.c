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

static void named_type(MPI_Datatype type, const char *name, int bytes) {
  char seen[MPI_MAX_OBJECT_NAME] = "";
  int length, size_now = -1;
  CHECK(MPI_Type_get_name(type, seen, &length) == MPI_SUCCESS && MPI_Type_size(type, &size_now) == MPI_SUCCESS);
  if (strcmp(seen, name) || (bytes && size_now != bytes)) printf("%s is %s of %d bytes\n", name, seen, size_now);
  CHECK(!strcmp(seen, name) && (!bytes || size_now == bytes));
  CHECK(MPI_Type_f2c(MPI_Type_c2f(type)) == type);
}
#define TYPE(name, bytes) named_type(name, #name, bytes)

static void types(void) {
  TYPE(MPI_CHAR, 1), TYPE(MPI_SIGNED_CHAR, 1), TYPE(MPI_UNSIGNED_CHAR, 1), TYPE(MPI_BYTE, 1), TYPE(MPI_PACKED, 1);
  TYPE(MPI_SHORT, 2), TYPE(MPI_UNSIGNED_SHORT, 2), TYPE(MPI_INT, 4), TYPE(MPI_UNSIGNED, 4), TYPE(MPI_LONG, 8);
  TYPE(MPI_UNSIGNED_LONG, 8), TYPE(MPI_LONG_LONG_INT, 8), TYPE(MPI_UNSIGNED_LONG_LONG, 8), TYPE(MPI_FLOAT, 4);
  TYPE(MPI_DOUBLE, 8), TYPE(MPI_LONG_DOUBLE, sizeof(long double)), TYPE(MPI_WCHAR, sizeof(wchar_t)), TYPE(MPI_C_BOOL, 1);
  TYPE(MPI_INT8_T, 1), TYPE(MPI_INT16_T, 2), TYPE(MPI_INT32_T, 4), TYPE(MPI_INT64_T, 8), TYPE(MPI_UINT8_T, 1);
  TYPE(MPI_UINT16_T, 2), TYPE(MPI_UINT32_T, 4), TYPE(MPI_UINT64_T, 8), TYPE(MPI_AINT, 8), TYPE(MPI_OFFSET, 8);
  TYPE(MPI_COUNT, 8), TYPE(MPI_C_FLOAT_COMPLEX, 8), TYPE(MPI_C_DOUBLE_COMPLEX, 16);
  TYPE(MPI_C_LONG_DOUBLE_COMPLEX, 2 * sizeof(long double)), TYPE(MPI_CXX_BOOL, 1), TYPE(MPI_CXX_FLOAT_COMPLEX, 8);
  TYPE(MPI_CXX_DOUBLE_COMPLEX, 16), TYPE(MPI_CXX_LONG_DOUBLE_COMPLEX, 2 * sizeof(long double));
  TYPE(MPI_2INT, 8), TYPE(MPI_FLOAT_INT, 8), TYPE(MPI_DOUBLE_INT, 12), TYPE(MPI_LONG_INT, 12), TYPE(MPI_SHORT_INT, 6);
  TYPE(MPI_LONG_DOUBLE_INT, sizeof(long double) + 4), TYPE(MPI_CHARACTER, 1), TYPE(MPI_INTEGER, 4), TYPE(MPI_REAL, 4);
  TYPE(MPI_LOGICAL, 4), TYPE(MPI_COMPLEX, 8), TYPE(MPI_DOUBLE_PRECISION, 8), TYPE(MPI_DOUBLE_COMPLEX, 16);
  TYPE(MPI_2INTEGER, 8), TYPE(MPI_2REAL, 8), TYPE(MPI_2DOUBLE_PRECISION, 16), TYPE(MPI_REAL2, 2), TYPE(MPI_REAL4, 4);
  TYPE(MPI_REAL8, 8), TYPE(MPI_REAL16, 16), TYPE(MPI_COMPLEX4, 4), TYPE(MPI_COMPLEX8, 8), TYPE(MPI_COMPLEX16, 16);
  TYPE(MPI_COMPLEX32, 32), TYPE(MPI_INTEGER1, 1), TYPE(MPI_INTEGER2, 2), TYPE(MPI_INTEGER4, 4), TYPE(MPI_INTEGER8, 8);
  TYPE(MPI_INTEGER16, 16), TYPE(MPI_LOGICAL1, 1), TYPE(MPI_LOGICAL2, 2), TYPE(MPI_LOGICAL4, 4), TYPE(MPI_LOGICAL8, 8);
  TYPE(MPI_LOGICAL16, 16);
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length);
  CHECK(!strcmp(name, "MPI_DATATYPE_NULL"));
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

static void made_as(MPI_Datatype type, int combiner, int line) {
  int integers, addresses, datatypes, seen = -1;
  CHECK(MPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &seen) == MPI_SUCCESS);
  if (seen != combiner) printf("line %d: combiner %d, not %d\n", line, seen, combiner);
  CHECK(seen == combiner);
}
#define MADE(make, combiner) \
  (CHECK((make) == MPI_SUCCESS), made_as(t, combiner, __LINE__), CHECK(MPI_Type_free(&t) == MPI_SUCCESS && t == MPI_DATATYPE_NULL))

static void derived(void) {
  int two[2] = {2, 2}, one[2] = {1, 1}, zero[2] = {0, 0}, ints[32];
  MPI_Aint far[2] = {0, 16}, addresses[4];
  MPI_Datatype t, of[2] = {MPI_INT, MPI_DOUBLE}, inner[4];
  made_as(MPI_INT, MPI_COMBINER_NAMED, __LINE__);
  MADE(MPI_Type_dup(MPI_INT, &t), MPI_COMBINER_DUP);
  MADE(MPI_Type_contiguous(3, MPI_INT, &t), MPI_COMBINER_CONTIGUOUS);
  MADE(MPI_Type_vector(2, 1, 3, MPI_INT, &t), MPI_COMBINER_VECTOR);
  MADE(MPI_Type_create_hvector(2, 1, 32, MPI_INT, &t), MPI_COMBINER_HVECTOR);
  MADE(MPI_Type_indexed(2, one, two, MPI_INT, &t), MPI_COMBINER_INDEXED);
  MADE(MPI_Type_create_hindexed(2, one, far, MPI_INT, &t), MPI_COMBINER_HINDEXED);
  MADE(MPI_Type_create_indexed_block(2, 1, two, MPI_INT, &t), MPI_COMBINER_INDEXED_BLOCK);
  MADE(MPI_Type_create_hindexed_block(2, 1, far, MPI_INT, &t), MPI_COMBINER_HINDEXED_BLOCK);
  MADE(MPI_Type_create_struct(2, one, far, of, &t), MPI_COMBINER_STRUCT);
  MADE(MPI_Type_create_resized(MPI_INT, 0, 64, &t), MPI_COMBINER_RESIZED);
  CHECK(MPI_Type_create_subarray(2, two, one, zero, MPI_ORDER_FORTRAN, MPI_INT, &t) == MPI_SUCCESS);
  CHECK(MPI_Type_get_contents(t, 32, 4, 4, ints, addresses, inner) == MPI_SUCCESS && ints[7] == MPI_ORDER_FORTRAN && inner[0] == MPI_INT);
  made_as(t, MPI_COMBINER_SUBARRAY, __LINE__), MPI_Type_free(&t);
  int sizes[3] = {4, 4, 4}, grid[3] = {1, 1, 1}, distribs[3] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
  int args[3] = {MPI_DISTRIBUTE_DFLT_DARG, 2, MPI_DISTRIBUTE_DFLT_DARG};
  CHECK(MPI_Type_create_darray(1, 0, 3, sizes, distribs, args, grid, MPI_ORDER_C, MPI_INT, &t) == MPI_SUCCESS);
  CHECK(MPI_Type_get_contents(t, 32, 4, 4, ints, addresses, inner) == MPI_SUCCESS && ints[15] == MPI_ORDER_C);
  CHECK(!memcmp(&ints[6], distribs, sizeof distribs) && !memcmp(&ints[9], args, sizeof args));
  made_as(t, MPI_COMBINER_DARRAY, __LINE__), MPI_Type_free(&t);
  CHECK(MPI_Type_create_f90_real(6, MPI_UNDEFINED, &t) == MPI_SUCCESS), made_as(t, MPI_COMBINER_F90_REAL, __LINE__);
  CHECK(MPI_Type_create_f90_complex(6, MPI_UNDEFINED, &t) == MPI_SUCCESS), made_as(t, MPI_COMBINER_F90_COMPLEX, __LINE__);
  CHECK(MPI_Type_create_f90_integer(6, &t) == MPI_SUCCESS), made_as(t, MPI_COMBINER_F90_INTEGER, __LINE__);
  CHECK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &t) == MPI_SUCCESS && (t == MPI_REAL8 || t == MPI_DOUBLE_PRECISION));
  CHECK(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 8, &t) == MPI_SUCCESS && t == MPI_INTEGER8);
  CHECK(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 8, &t) == MPI_SUCCESS && (t == MPI_COMPLEX || t == MPI_COMPLEX8));
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
