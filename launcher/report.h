// What mpirun tells about ranks: what each is doing, who waits for whom, where it was placed. Texts only; reads the
// ranks' recorder slots (hostile memory: numbers are checked) and /proc. Any thread.
#pragma once
#include <string>
#include <vector>

#include "launcher/map.h"
#include "machine/recorder.h"

namespace tutti::launcher {

struct RankView {
  int rank = 0;
  int pid = 0;                          // of the process mpirun started; 0: not started
  std::string node;
  const machine::RankSlot* slot = nullptr;
  bool ended = false;
  int status = 0;                       // wait status, once ended
};

// A line per rank: pid, state, MPI call, since when, whom it waits for; then what follows from it: cycles of waiting
// ranks, ranks that wait for a stopped or ended one. Lines without a newline at their end.
std::vector<std::string> activity(const std::vector<RankView>& ranks);

// " in MPI_Recv", " after MPI_Init", or "" when it made no MPI call.
std::string last_call(const machine::RankSlot& slot);

// What the rank told when it aborted; "" when nothing.
std::string abort_text(const machine::RankSlot& slot);

// "signal 11 (Segmentation fault)"
std::string signal_text(int signal);

// A line per rank: node, program, CPUs.
std::vector<std::string> map_lines(const Placement& placement, const std::vector<std::string>& node_names,
                                   const std::vector<std::string>& programs);

// State letter of /proc/PID/stat, '?' when there is no such process.
char process_state(int pid);

}  // namespace tutti::launcher
