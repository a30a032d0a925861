// tutti_bench: times point-to-point and collective operations over sizes, on any MPI with the standard ABI:
// mpirun -np 4 tutti_bench --ops allreduce,bcast --max 4M. Exits with 0; with 1 when --check found wrong data, with 2
// when it could not run.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "bench/bench_measure.h"
#include "bench/bench_options.h"
#include "bench/bench_report.h"

namespace tutti::bench {
namespace {

// The operations named in a list of names and groups, in its order.
std::string select_ops(std::string_view list, std::vector<const Op*>& chosen) {
  while (!list.empty()) {
    std::string_view name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(name.size() + 1, list.size()));
    std::size_t before = chosen.size();
    for (const Op* op : all_ops())
      if (name == "all" || name == op->name || name == op->group) chosen.push_back(op);
    if (chosen.size() == before)
      return "--ops: there is no operation or group \"" + std::string(name) + "\"; see --list";
  }
  return chosen.empty() ? "--ops is empty; see --list" : "";
}

std::string check_options(const BenchOptions& options, std::vector<const Op*>& chosen) {
  if (options.memory != "malloc" && options.memory != "alloc")
    return "--memory is \"" + options.memory + "\", but must be malloc or alloc";
  if (options.min.count > options.max.count) return "--min is larger than --max";
  return select_ops(options.ops, chosen);
}

// A window's messages lie side by side; so many large ones would measure page faults.
constexpr std::size_t kWindowBytes = 64 << 20;

void set_size(const Op& op, Call& call, const BenchOptions& options, std::size_t bytes) {
  call.bytes = bytes;
  call.window =
      int(std::clamp(kWindowBytes / std::max(bytes, std::size_t{1}), std::size_t{1}, std::size_t(options.window)));
  split_counts(op, call);
}

// The sizes to measure for this operation. Says in `note` which ones are left out for want of memory.
std::vector<std::size_t> sizes_of(const Op& op, Call& call, const BenchOptions& options, std::string& note) {
  if (!op.has_sizes()) return {0};
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = options.min.count; bytes <= options.max.count; bytes *= options.step) {
    if (op.reduces && bytes % sizeof(float) != 0) continue;
    set_size(op, call, options, bytes);
    if (std::max(buffer_bytes(op.send, call), buffer_bytes(op.recv, call)) > options.max_memory.count) {
      note = "from " + std::to_string(bytes) + " bytes on a rank's buffer would exceed --max-memory";
      break;
    }
    sizes.push_back(bytes);
  }
  return sizes;
}

void run_op(const Op& op, Call& call, const BenchOptions& options, std::vector<Result>& results) {
  bool talks = call.rank == 0;
  if (talks) print_op_header(op, options);
  std::string note;
  std::vector<std::size_t> sizes = sizes_of(op, call, options, note);
  if (sizes.empty() && note.empty()) note = "no size in this range is a multiple of four, the size of a float";
  if (op.p2p() && call.np < 2) sizes.clear(), note = "needs two ranks";
  std::size_t send_bytes = 0, recv_bytes = 0;
  for (std::size_t bytes : sizes) {
    set_size(op, call, options, bytes);
    send_bytes = std::max(send_bytes, buffer_bytes(op.send, call));
    recv_bytes = std::max(recv_bytes, buffer_bytes(op.recv, call));
  }
  Buffer send(send_bytes, options.alloc_mem()), recv(recv_bytes, options.alloc_mem());
  call.send = send.data();
  call.recv = recv.data();
  if (op.type) call.type = op.type();
  for (std::size_t bytes : sizes) {
    set_size(op, call, options, bytes);
    results.push_back(measure(op, call, options));
    if (talks) print_result(results.back(), options);
  }
  if (op.type) MPI_Type_free(&call.type);
  if (talks && !note.empty()) std::printf("           %s\n", note.c_str());
}

int run(const BenchOptions& options, const std::vector<const Op*>& chosen, int rank, int np, std::string& error) {
  Setting setting = find_setting(rank, np);
  if (rank == 0) print_header(setting, options);
  Call call{.rank = rank, .np = np};
  std::vector<Result> results;
  for (const Op* op : chosen) run_op(*op, call, options, results);
  long wrong = 0;
  for (const Result& result : results) wrong += result.wrong != 0;
  if (rank == 0 && !options.json.empty()) error = write_json(options.json, setting, options, results);
  if (rank == 0 && !options.csv.empty() && error.empty()) error = write_csv(options.csv, results);
  if (rank == 0 && options.check) std::printf("\n%ld of %zu results come with wrong data\n", wrong, results.size());
  return !error.empty() ? 2 : wrong ? 1 : 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, np, code = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  BenchOptions options;
  std::vector<Option> table = option_table(options);
  std::vector<const Op*> chosen;
  std::string error = parse(table, argc, argv);
  if (error.empty()) error = check_options(options, chosen);
  if (!error.empty()) {
    code = 2;
  } else if (options.help) {
    if (rank == 0)
      std::printf("usage: mpirun -np N tutti_bench [options]\nTimes MPI operations over sizes.\n%s",
                  describe(table).c_str());
  } else if (options.list) {
    if (rank == 0) print_list();
  } else {
    code = run(options, chosen, rank, np, error);
  }
  if (rank == 0 && !error.empty()) std::fprintf(stderr, "tutti_bench: %s\n", error.c_str());
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return code;
}

}  // namespace
}  // namespace tutti::bench

int main(int argc, char** argv) { return tutti::bench::main(argc, argv); }
