/* The program that makes garbage_test.py's calls: what they need is made anew for each, and what they say is printed as
   lines "@number" (begun) and "=class text" (returned). Usage: garbage FIRST */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm comm, cart, graph, dist;
static MPI_Group group;
static MPI_Info info;
static MPI_Datatype derived, types[2];
static MPI_Op op;
static MPI_Request request, persistent, psend, precv, generalized, requests[2];
static MPI_Errhandler errhandler;
static MPI_Message message;
static MPI_Session session;
static MPI_Status statuses[4];
static int errors[2], keyval, type_keyval, length;
static char scratch[8192] __attribute__((aligned(64)));
static int ibuf[16], numbers[64], iones[8], izeros[8], distribs[2], dargs[2], ranges[1][3];
static MPI_Count lones[8], lzeros[8];
static void *pointer, *allocated;
static struct { MPI_Comm comm; MPI_Group group; MPI_Datatype datatype; MPI_Op op; MPI_Request request; MPI_Info info;
                MPI_Errhandler errhandler; MPI_Message message; MPI_Session session; MPI_Win win; } freed;
/* Windows of 64 bytes, each in the state in which one kind of call is right. */
static MPI_Win idle_win, open_win, locked_win, started_win, posted_win, dynamic_win, shared_win, made_win;
static int win_keyval;
static MPI_T_cvar_handle cvar;
static MPI_T_pvar_session tool_session;
static MPI_T_pvar_handle pvar;
static MPI_T_enum words;
static int counter;
static char cvar_name[256];
static int callback(void) { return MPI_SUCCESS; }
static void must(int code) { if (code != MPI_SUCCESS) { puts("!a right call failed"); abort(); } }

static MPI_Win make_win(void) {
  MPI_Win win;
  void* base;
  must(MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win));
  must(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
  return win;
}

static void make_windows(void) {  // once: a wrong call leaves them as they are
  idle_win = make_win();
  open_win = make_win(), must(MPI_Win_lock_all(0, open_win));
  locked_win = make_win(), must(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, locked_win));
  MPI_Group self;
  must(MPI_Comm_group(MPI_COMM_SELF, &self));
  started_win = make_win(), must(MPI_Win_post(self, 0, started_win)), must(MPI_Win_start(self, 0, started_win));
  posted_win = make_win(), must(MPI_Win_post(self, 0, posted_win));
  must(MPI_Group_free(&self));
  must(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &dynamic_win));
  must(MPI_Win_set_errhandler(dynamic_win, MPI_ERRORS_RETURN));
  must(MPI_Win_attach(dynamic_win, numbers, sizeof numbers));
  must(MPI_Win_allocate_shared(64, 4, MPI_INFO_NULL, MPI_COMM_SELF, &pointer, &shared_win));
  must(MPI_Win_set_errhandler(shared_win, MPI_ERRORS_RETURN));
  must(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &win_keyval, NULL));
  freed.win = make_win();
  MPI_Win gone = freed.win;
  must(MPI_Win_free(&gone));
}

static void make_tool(void) {
  int level, count, n = sizeof cvar_name, continuous, number;
  must(MPI_T_init_thread(MPI_THREAD_SINGLE, &level));
  must(MPI_T_cvar_get_info(0, cvar_name, &n, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  must(MPI_T_cvar_handle_alloc(0, NULL, &cvar, &count));
  must(MPI_T_pvar_session_create(&tool_session));
  must(MPI_T_pvar_get_num(&number));
  counter = -1, words = NULL;
  for (int i = 0; i < number; ++i) {
    MPI_T_enum enumeration = NULL;
    must(MPI_T_pvar_get_info(i, NULL, NULL, NULL, NULL, NULL, &enumeration, NULL, NULL, NULL, NULL, &continuous, NULL));
    if (!continuous) counter = i;
    if (enumeration) words = enumeration;
  }
  must(counter >= 0 && words ? MPI_SUCCESS : MPI_ERR_OTHER);
  must(MPI_T_pvar_handle_alloc(tool_session, counter, NULL, &pvar, &count));
}

/* Their addresses may be handles again as soon as others are made, so these are freed in the very call. */
static MPI_T_cvar_handle freed_cvar(void) {
  MPI_T_cvar_handle was = cvar;
  must(MPI_T_cvar_handle_free(&cvar));
  return was;
}
static MPI_T_pvar_handle freed_pvar(void) {
  MPI_T_pvar_handle was = pvar;
  must(MPI_T_pvar_handle_free(tool_session, &pvar));
  return was;
}
static MPI_T_pvar_session freed_session(void) {
  MPI_T_pvar_session was = tool_session;
  must(MPI_T_pvar_session_free(&tool_session));
  return was;
}

static void make(void) {  // anew for each call, since it may succeed in freeing what it gets
  int one = 1, zero = 0;
  for (int i = 0; i < 8; ++i) iones[i] = 1, izeros[i] = 0, lones[i] = 1, lzeros[i] = 0;
  memset(scratch, 0, sizeof scratch), memset(numbers, 0, sizeof numbers), memset(ibuf, 0, sizeof ibuf);
  distribs[0] = MPI_DISTRIBUTE_BLOCK, dargs[0] = MPI_DISTRIBUTE_DFLT_DARG;
  ranges[0][0] = ranges[0][1] = 0, ranges[0][2] = 1;
  types[0] = types[1] = MPI_INT, length = 64;
  must(MPI_Comm_dup(MPI_COMM_SELF, &comm));
  must(MPI_Cart_create(comm, 1, &one, &zero, 0, &cart));
  must(MPI_Graph_create(comm, 1, &one, &zero, 0, &graph));
  must(MPI_Dist_graph_create_adjacent(comm, 1, &zero, &one, 1, &zero, &one, MPI_INFO_NULL, 0, &dist));
  must(MPI_Comm_group(comm, &group));
  must(MPI_Info_create(&info));
  must(MPI_Info_set(info, "garbage", "value"));
  must(MPI_Type_contiguous(2, MPI_INT, &derived));
  must(MPI_Op_create((MPI_User_function*)callback, 1, &op));
  must(MPI_Irecv(ibuf, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &request));
  must(MPI_Irecv(ibuf, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &requests[0]));
  must(MPI_Irecv(ibuf, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &requests[1]));
  must(MPI_Recv_init(ibuf, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &persistent));
  must(MPI_Psend_init(ibuf, 2, 1, MPI_INT, MPI_PROC_NULL, 0, comm, MPI_INFO_NULL, &psend));
  must(MPI_Precv_init(ibuf, 2, 1, MPI_INT, MPI_PROC_NULL, 0, comm, MPI_INFO_NULL, &precv));
  must(MPI_Start(&psend));
  must(MPI_Start(&precv));
  must(MPI_Grequest_start((MPI_Grequest_query_function*)callback, (MPI_Grequest_free_function*)callback,
                          (MPI_Grequest_cancel_function*)callback, NULL, &generalized));
  must(MPI_Comm_create_errhandler((MPI_Comm_errhandler_function*)callback, &errhandler));
  must(MPI_Send(ibuf, 1, MPI_INT, 0, 77, comm));
  must(MPI_Mprobe(0, 77, comm, &message, MPI_STATUS_IGNORE));
  must(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  must(MPI_Add_error_class(&errors[0]));
  must(MPI_Add_error_code(errors[0], &errors[1]));
  must(MPI_Add_error_string(errors[1], "a text"));
  must(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL));
  must(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_keyval, NULL));
  must(MPI_Comm_set_attr(comm, keyval, scratch));
  must(MPI_Alloc_mem(64, MPI_INFO_NULL, &allocated));
  make_tool();
}

static void free_some(void) {
  MPI_Comm c; MPI_Session s; MPI_Message m;
  make();
  freed.comm = comm, freed.group = group, freed.datatype = derived, freed.op = op, freed.request = request, freed.info = info;
  freed.errhandler = errhandler, freed.message = message, freed.session = session;
  must(MPI_Mrecv(ibuf, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
  must(MPI_Wait(&request, MPI_STATUS_IGNORE));
  must(MPI_Comm_free(&comm)), must(MPI_Group_free(&group)), must(MPI_Type_free(&derived)), must(MPI_Op_free(&op));
  must(MPI_Info_free(&info)), must(MPI_Errhandler_free(&errhandler)), must(MPI_Session_finalize(&session));
  must(MPI_T_finalize());
}

static void unmake(void) {  // what is still there; the wrong call has had its chance at it
  MPI_Session_finalize(&session);
  MPI_Grequest_complete(generalized);
  MPI_Request_free(&generalized);
  MPI_Request_free(&psend), MPI_Request_free(&precv);
  MPI_T_finalize();
}

#include "calls.h"  /* by garbage_test.py: classes[] of errors by name; call0(), call1() ... and all in calls[] */

static const char* class_name(int class) {
  for (int i = 0; i < (int)(sizeof classes / sizeof *classes); ++i)
    if (classes[i].value == class) return classes[i].name;
  return "?";
}

static void tell(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int class = -1, n, sent = 5, got = 0;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class), MPI_Error_string(code, text, &n);
  else class = MPI_SUCCESS;
  must(MPI_Sendrecv(&sent, 1, MPI_INT, 0, 9, &got, 1, MPI_INT, 0, 9, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  must(got == 5 ? MPI_SUCCESS : MPI_ERR_OTHER);
  must(MPI_Allreduce(&sent, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  must(MPI_Put(&sent, 1, MPI_INT, 0, 0, 1, MPI_INT, open_win)), must(MPI_Win_flush(0, open_win));
  printf("=%s %s\n", class_name(class), text);
  fflush(stdout);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  free_some();
  make_windows();
  for (int i = atoi(argv[1]); i < (int)(sizeof calls / sizeof *calls); ++i) {
    make();
    printf("@%d\n", i);
    fflush(stdout);
    alarm(10);
    tell(calls[i]());
    unmake();
  }
  puts(".");
  fflush(stdout);
  _exit(0);  // requests and communicators are left open on purpose
}
