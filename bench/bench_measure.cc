#include "bench/bench_measure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace tutti::bench {
namespace {

// A sample is at least so long (several calls if one is shorter), which keeps the clock's own cost below about 1 %.
constexpr double kSampleSeconds = 20e-6;
constexpr int kMostSamples = 1000, kFewestSamples = 5, kFewestWarmups = 3, kMostCallsASample = 1000, kChecks = 3;

void set_root(const Op& op, Call& call, const BenchOptions& options) {
  call.root = op.rooted && options.rotate_root ? int(call.serial % call.np) : 0;
}

void do_call(const Op& op, Call& call, const BenchOptions& options) {
  set_root(op, call, options);
  if (!op.p2p() || partner(op, call) >= 0) op.run(call);
  ++call.serial;
}

// Calls do_call `calls` times, all ranks starting together. Returns this rank's seconds for one.
double sample(const Op& op, Call& call, const BenchOptions& options, long calls) {
  if (options.rewrite) {
    set_root(op, call, options);
    write_data(op, call);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  double begun = MPI_Wtime();
  for (long i = 0; i < calls; ++i) do_call(op, call, options);
  return (MPI_Wtime() - begun) / double(calls);
}

struct Plan {
  long samples, calls_a_sample;
};

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

// The slowest rank's values.
void agree(std::array<double, 2>& seconds) {
  MPI_Allreduce(MPI_IN_PLACE, seconds.data(), 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

// Warms up, and derives from that how much fits into the time; every rank comes to the same plan.
Plan warm_up(const Op& op, Call& call, const BenchOptions& options) {
  std::array<double, 2> first{sample(op, call, options, 1), 0};
  agree(first);
  int fit_calls = int(options.seconds / 4 / std::max(first[0], 1e-9));
  int count = std::min(std::max(fit_calls, kFewestWarmups), options.warmup);
  std::vector<double> inside(count), whole(count);  // of a call; of a call with what surrounds it
  for (int i = 0; i < count; ++i) {
    double begun = MPI_Wtime();
    inside[i] = sample(op, call, options, 1);
    whole[i] = MPI_Wtime() - begun;
  }
  std::array<double, 2> typical{median_of(inside), median_of(whole)};  // medians: one hiccup must not shrink the plan
  agree(typical);
  double one = std::max(typical[0], 1e-8), around = std::max(typical[1] - typical[0], 0.0);
  Plan plan;
  plan.calls_a_sample =
      options.rewrite ? 1 : std::clamp(long(std::ceil(kSampleSeconds / one)), 1L, long(kMostCallsASample));
  plan.calls_a_sample = std::min(plan.calls_a_sample, long(options.iters));
  double fit = options.seconds / (double(plan.calls_a_sample) * one + around);
  long most = std::max(1L, options.iters / plan.calls_a_sample);
  plan.samples = std::min({std::max(long(std::min(fit, 1e9)), long(kFewestSamples)), long(kMostSamples), most});
  return plan;
}

void summarise(std::vector<double> seconds, const Call& call, Result& result) {
  std::erase_if(seconds, [](double s) { return s < 0; });  // from ranks that stood by
  double median = median_of(seconds), rate = streams(*result.op, call) / median;
  result.min_us = 1e6 * *std::min_element(seconds.begin(), seconds.end());
  result.median_us = 1e6 * median;
  result.avg_us = 1e6 * std::accumulate(seconds.begin(), seconds.end(), 0.0) / double(seconds.size());
  result.max_us = 1e6 * *std::max_element(seconds.begin(), seconds.end());
  result.mb_per_s = 1e-6 * double(call.bytes) * rate;
  result.messages_per_s = result.op->p2p() ? rate : 0;
}

// One call whose outcome is compared. Returns the number of wrong elements over all ranks.
long check(const Op& op, Call& call, const BenchOptions& options, bool aloud) {
  set_root(op, call, options);
  write_data(op, call);
  spoil(op, call);
  long serial = call.serial;
  do_call(op, call, options);
  long wrong = op.p2p() && partner(op, call) < 0 ? 0 : count_wrong(op, call, serial, aloud);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return wrong;
}

}  // namespace

Result measure(const Op& op, Call& call, const BenchOptions& options) {
  Result result{.op = &op, .bytes = call.bytes};
  bool compare = options.check && op.has_sizes();
  for (int i = 0; compare && i < kChecks; ++i) result.wrong += check(op, call, options, result.wrong == 0);
  set_root(op, call, options);
  write_data(op, call);
  Plan plan = warm_up(op, call, options);
  bool stands_by = op.p2p() && partner(op, call) < 0;
  std::vector<double> mine(plan.samples), all(call.rank == 0 ? plan.samples * call.np : 0);
  for (double& seconds : mine) {
    seconds = sample(op, call, options, plan.calls_a_sample) / messages(op, call);
    if (stands_by) seconds = -1;
  }
  MPI_Gather(mine.data(), int(mine.size()), MPI_DOUBLE, all.data(), int(mine.size()), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (compare)
    result.wrong += check(op, call, options, result.wrong == 0);  // what many calls may have left behind shows now
  result.calls = plan.samples * plan.calls_a_sample;
  if (call.rank == 0) summarise(std::move(all), call, result);
  return result;
}

}  // namespace tutti::bench
