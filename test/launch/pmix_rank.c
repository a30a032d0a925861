// A rank that speaks PMIx and no MPI, for tests of the launcher alone. Its argument says how it ends:
// finalize, leave (without finalize), abort CODE, crash, facts (prints what the launcher told it), finalize-exit CODE, wait (for
// ever); crash and abort happen on rank 1, while the others wait.
#include <pmix.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_fact(const pmix_proc_t* who, const char* key) {
  pmix_value_t* value = NULL;
  const pmix_status_t status = PMIx_Get(who, key, NULL, 0, &value);
  if (status != PMIX_SUCCESS) printf("%s: %s\n", key, PMIx_Error_string(status));
  else if (value->type == PMIX_STRING) printf("%s=%s\n", key, value->data.string);
  else printf("%s=%u\n", key, value->type == PMIX_UINT16 ? value->data.uint16 : value->data.uint32);
}

static void print_facts(const pmix_proc_t* me, const pmix_proc_t* all) {
  const char* of_job[] = {PMIX_JOB_SIZE, PMIX_UNIV_SIZE, PMIX_LOCAL_SIZE, PMIX_LOCAL_PEERS, "tutti.nodes", "tutti.segment"};
  for (size_t i = 0; i < sizeof of_job / sizeof *of_job; ++i) print_fact(all, of_job[i]);
  print_fact(me, PMIX_APPNUM);
  print_fact(me, PMIX_LOCAL_RANK);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "finalize";
  const int code = argc > 2 ? atoi(argv[2]) : 0;
  pmix_proc_t me, all;
  const pmix_status_t status = PMIx_Init(&me, NULL, 0);
  if (status != PMIX_SUCCESS) return fprintf(stderr, "PMIx_Init: %s\n", PMIx_Error_string(status)), 99;
  PMIX_LOAD_PROCID(&all, me.nspace, PMIX_RANK_WILDCARD);
  if (PMIx_Fence(&all, 1, NULL, 0) != PMIX_SUCCESS) return 98;
  printf("rank %u ready\n", me.rank);
  fflush(stdout);
  if (strcmp(how, "facts") == 0) print_facts(&me, &all);
  if (strcmp(how, "leave") == 0) _exit(code);
  if (strcmp(how, "crash") == 0 && me.rank == 1) raise(SIGSEGV);
  if (strcmp(how, "abort") == 0 && me.rank == 1) PMIx_Abort(code, "on purpose", NULL, 0);
  if (strcmp(how, "crash") == 0 || strcmp(how, "abort") == 0 || strcmp(how, "wait") == 0) pause();
  PMIx_Finalize(NULL, 0);
  return code;
}
