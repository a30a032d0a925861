// train: a data-parallel training, as MPI programs do it. Rank 0 deals out the images (MPI_Scatterv) and the first
// parameters (MPI_Bcast); each step sums the ranks' gradients (MPI_Allreduce); each epoch reports to rank 0
// (MPI_Gather). Runs on any MPI with the standard ABI: mpirun -np 4 ./train. Exits with 0 when the ranks ended with
// bit-identical parameters and the network recognises enough digits, 1 when not, 2 when it could not start.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "bench/options.h"
#include "bench/train_data.h"
#include "bench/train_net.h"

namespace tutti::bench {
namespace {

struct Options {
  int epochs = 20, batch = 64, hidden = 64;
  double rate = 0.1, momentum = 0.9, require = 95;
  std::uint64_t seed = 1;
  std::string data = default_data_path(), csv;
  bool quiet = false, help = false;
};

std::vector<Option> option_table(Options& o) {
  return {{"--epochs", "N", "passes over the training images (20)", &o.epochs, 1, 1e6},
          {"--batch", "N", "images a step, over all ranks together (64)", &o.batch, 1, 1e6},
          {"--hidden", "N", "hidden units (64)", &o.hidden, 1, 1e5},
          {"--lr", "X", "learning rate (0.1)", &o.rate, 0, 100},
          {"--momentum", "X", "momentum (0.9)", &o.momentum, 0, 1},
          {"--seed", "N", "for parameters, split and order of the images (1)", &o.seed},
          {"--require", "PERCENT", "fail when fewer test digits are recognised (95)", &o.require, 0, 100},
          {"--data", "FILE", "the digits (digits.csv beside the program)", &o.data},
          {"--csv", "FILE", "write the loss curve there", &o.csv},
          {"--quiet", nullptr, "print the closing summary only", &o.quiet},
          {"--help", nullptr, "print this", &o.help}};
}

// One epoch, as rank 0 reports it.
struct Epoch {
  double loss = 0;  // mean over the training images, each taken before the step it was part of
  double train_percent = 0, test_percent = 0;
  double seconds = 0, allreduce_seconds = 0;  // of the slowest rank; of the mean rank
  std::int64_t test_correct = 0;
};

class Training {
 public:
  Training(const Options& options, Shard& shard)
      : options_(options), shard_(shard), net_(options.hidden), gradient_(net_.parameters().size()) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &np_);
    if (rank_ == 0) net_.randomise(options.seed);
    MPI_Bcast(net_.parameters().data(), int(net_.parameters().size()), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }

  Epoch run(int number) {
    double loss = 0, begun = MPI_Wtime(), in_allreduce = 0;
    std::vector<int> order = shuffled(shard_.sizes.batches(), options_.seed + number);
    for (int step = 0; step < int(order.size()); ++step) {
      loss += take_step(order[step], in_allreduce);
      if (show_progress_ && step % 8 == 0) show_progress(number, step);
    }
    return gather(loss, MPI_Wtime() - begun, in_allreduce);
  }

  // Rank 0: whether all ranks hold the same bits. `hash` is rank 0's; `odd` the ranks that differ from it.
  bool identical(std::uint64_t& hash, std::string& odd) {
    hash = net_.hash();
    std::vector<std::uint64_t> all(np_);
    MPI_Gather(&hash, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    for (int r = 0; rank_ == 0 && r < np_; ++r)
      if (all[r] != hash) odd += " " + std::to_string(r);
    return odd.empty();
  }

 private:
  // Returns the loss summed over this rank's part of batch b.
  double take_step(int b, double& in_allreduce) {
    std::fill(gradient_.begin(), gradient_.end(), 0.0);
    double loss = net_.add_gradient(shard_.part(b), gradient_), before = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, gradient_.data(), int(gradient_.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    in_allreduce += MPI_Wtime() - before;
    net_.step(gradient_, options_.rate / shard_.sizes.in_batch(b), options_.momentum);
    return loss;
  }

  Epoch gather(double loss, double seconds, double in_allreduce) {
    double times[3] = {loss, seconds, in_allreduce};
    std::int64_t counts[2] = {net_.correct(shard_.train), net_.correct(shard_.test)};
    std::vector<double> all_times(np_ * 3);
    std::vector<std::int64_t> all_counts(np_ * 2);
    MPI_Gather(times, 3, MPI_DOUBLE, all_times.data(), 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Gather(counts, 2, MPI_INT64_T, all_counts.data(), 2, MPI_INT64_T, 0, MPI_COMM_WORLD);
    Epoch epoch;
    std::int64_t train_correct = 0;
    for (int r = 0; r < np_; ++r) {
      epoch.loss += all_times[3 * r] / shard_.sizes.train;
      epoch.seconds = std::max(epoch.seconds, all_times[3 * r + 1]);
      epoch.allreduce_seconds += all_times[3 * r + 2] / np_;
      train_correct += all_counts[2 * r];
      epoch.test_correct += all_counts[2 * r + 1];
    }
    epoch.train_percent = 100.0 * double(train_correct) / shard_.sizes.train;
    epoch.test_percent = 100.0 * double(epoch.test_correct) / shard_.sizes.test;
    return epoch;
  }

  void show_progress(int number, int step) {
    std::printf("%6d  step %d of %d\r", number, step + 1, shard_.sizes.batches());
    std::fflush(stdout);
  }

  const Options& options_;
  Shard& shard_;
  Net net_;
  std::vector<double> gradient_;
  int rank_ = 0, np_ = 1;
  bool show_progress_ = isatty(STDOUT_FILENO) && !options_.quiet;
};

void print_header(const Options& options, const Shard& shard, int np) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(library, &length);
  library[std::strcspn(library, "\r\n")] = 0;
  const Sizes& sizes = shard.sizes;
  std::printf("train: %d-%d-%d network, %d images to learn, %d to test, %d a step; %d rank%s\nMPI:   %s\n\n", kPixels,
              options.hidden, kDigits, sizes.train, sizes.test, sizes.batch, np, np == 1 ? "" : "s", library);
  std::printf(" epoch      loss   train %%   test %%        ms\n");
}

// Rank 0's last words; returns the exit code.
int print_summary(const Options& options, const Sizes& sizes, const std::vector<Epoch>& curve, Training& training,
                  int rank, int np) {
  std::uint64_t hash = 0;
  std::string odd;
  bool identical = training.identical(hash, odd);
  if (rank != 0) return 0;
  const Epoch& last = curve.back();
  double seconds = 0, in_allreduce = 0;
  for (const Epoch& epoch : curve) seconds += epoch.seconds, in_allreduce += epoch.allreduce_seconds;
  bool learnt = last.test_percent >= options.require;
  std::printf("%sfinal loss     %.15g\n", options.quiet ? "" : "\n", last.loss);
  std::printf("test accuracy  %.2f %% (%" PRId64 " of %d; at least %g %% required)\n", last.test_percent,
              last.test_correct, sizes.test, options.require);
  if (identical)
    std::printf("parameters     all %d ranks hold bit-identical parameters (hash %016" PRIx64 ")\n", np, hash);
  std::printf("speed          %.2f ms per epoch, %.0f images/s, %.0f %% of the time in MPI_Allreduce\n",
              1e3 * seconds / double(curve.size()), sizes.train * double(curve.size()) / seconds,
              100 * in_allreduce / seconds);
  std::fflush(stdout);
  if (!identical) std::fprintf(stderr, "train: FAILED: the parameters of rank%s differ from rank 0's\n", odd.c_str());
  if (!learnt)
    std::fprintf(stderr, "train: FAILED: test accuracy is %.2f %%, at least %g %% is required (--require)\n",
                 last.test_percent, options.require);
  return identical && learnt ? 0 : 1;
}

std::string write_csv(const std::string& path, const std::vector<Epoch>& curve) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) return "cannot write " + path + " (--csv): " + std::strerror(errno);
  std::fprintf(file, "epoch,loss,train_percent,test_percent,seconds,allreduce_seconds\n");
  for (std::size_t i = 0; i < curve.size(); ++i)
    std::fprintf(file, "%zu,%.17g,%.4f,%.4f,%.6f,%.6f\n", i + 1, curve[i].loss, curve[i].train_percent,
                 curve[i].test_percent, curve[i].seconds, curve[i].allreduce_seconds);
  return std::fclose(file) == 0 ? "" : "cannot write " + path + " (--csv): " + std::strerror(errno);
}

// The whole program between Init and Finalize; returns the exit code, which only rank 0's caller trusts.
int run(const Options& options, int rank, int np, std::string& error) {
  if (np > options.batch) {
    error = std::to_string(np) + " ranks share each batch of " + std::to_string(options.batch) +
            " images, so some would have nothing to do; use at most " + std::to_string(options.batch) +
            " ranks, or --batch " + std::to_string(np) + " or more";
    return 2;
  }
  Shard shard;
  if (error = deal(options.data, options.batch, options.seed, shard); !error.empty()) return 2;
  Training training(options, shard);
  bool talks = rank == 0 && !options.quiet;
  if (talks) print_header(options, shard, np);
  std::vector<Epoch> curve;
  for (int number = 1; number <= options.epochs; ++number) {
    curve.push_back(training.run(number));
    if (!talks) continue;
    std::printf("%6d  %8.6f   %7.2f  %7.2f  %8.2f\n", number, curve.back().loss, curve.back().train_percent,
                curve.back().test_percent, 1e3 * curve.back().seconds);
    std::fflush(stdout);
  }
  int code = print_summary(options, shard.sizes, curve, training, rank, np);
  if (rank == 0 && !options.csv.empty()) error = write_csv(options.csv, curve);
  return error.empty() ? code : 2;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, np, code = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  Options options;
  std::vector<Option> table = option_table(options);
  std::string error = parse(table, argc, argv);
  if (!error.empty()) {
    code = 2;
  } else if (options.help) {
    if (rank == 0)
      std::printf(
          "usage: mpirun -np N train [options]\nTrains a small network on hand-written digits, its data spread "
          "over N ranks.\n%s",
          describe(table).c_str());
  } else {
    code = run(options, rank, np, error);
  }
  if (rank == 0 && !error.empty()) std::fprintf(stderr, "train: %s\n", error.c_str());
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return code;
}

}  // namespace
}  // namespace tutti::bench

int main(int argc, char** argv) { return tutti::bench::main(argc, argv); }
