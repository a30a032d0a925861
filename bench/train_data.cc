#include "bench/train_data.h"

#include <mpi.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

namespace tutti::bench {
namespace {

constexpr int kTestShare = 5;  // one image in so many is held back

// Of `total` things split evenly over np ranks: where those of `rank` begin.
int split(int total, int rank, int np) { return int(std::int64_t(total) * rank / np); }

// One line "p0,...,p63,digit" appended to rows.
bool read_row(const std::string& line, std::vector<std::uint8_t>& rows) {
  const char *at = line.data(), *end = at + line.size();
  for (int i = 0; i < kRow; ++i) {
    int value = -1;
    auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < 0 || value > (i < kPixels ? kGreys : kDigits - 1)) return false;
    rows.push_back(std::uint8_t(value));
    at = next;
    if (i + 1 < kRow && (at == end || *at++ != ',')) return false;
  }
  return at == end || *at == '\r';
}

std::string read_file(const std::string& path, std::vector<std::uint8_t>& rows) {
  std::ifstream file(path);
  if (!file) return "cannot read " + path + " (--data): " + std::strerror(errno);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (!read_row(line, rows))
      return path + ":" + std::to_string(number) + ": not 64 grey levels 0..16 and a digit 0..9, comma-separated";
  }
  if (rows.size() / kRow < kTestShare) return path + ": too few images";
  return "";
}

std::vector<std::uint8_t> reordered(const std::vector<std::uint8_t>& rows, const std::vector<int>& order) {
  std::vector<std::uint8_t> result(order.size() * kRow);
  for (std::size_t i = 0; i < order.size(); ++i)
    std::copy_n(rows.data() + std::size_t(order[i]) * kRow, kRow, result.data() + i * kRow);
  return result;
}

// Where each rank's part of each batch begins in the order "rank 0's part of batch 0, of batch 1, ...".
std::vector<int> part_starts(const Sizes& sizes, int rank, int np) {
  std::vector<int> starts{0};
  for (int b = 0; b < sizes.batches(); ++b) {
    int total = sizes.in_batch(b);
    starts.push_back(starts.back() + split(total, rank + 1, np) - split(total, rank, np));
  }
  return starts;
}

// The training images, sorted by the rank that gets them.
std::vector<int> order_by_rank(const Sizes& sizes, int np) {
  std::vector<int> order;
  for (int rank = 0; rank < np; ++rank)
    for (int b = 0; b < sizes.batches(); ++b)
      for (int i = split(sizes.in_batch(b), rank, np); i < split(sizes.in_batch(b), rank + 1, np); ++i)
        order.push_back(b * sizes.batch + i);
  return order;
}

// Root's rows, `counts[rank]` to each rank. The shards differ in size when np does not divide the number of images.
std::vector<std::uint8_t> scatter(const std::vector<std::uint8_t>& rows, const std::vector<int>& counts, int rank) {
  MPI_Datatype row;
  MPI_Type_contiguous(kRow, MPI_UINT8_T, &row);
  MPI_Type_commit(&row);
  std::vector<int> starts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  std::vector<std::uint8_t> mine(std::size_t(counts[rank]) * kRow);
  MPI_Scatterv(rows.data(), counts.data(), starts.data(), row, mine.data(), counts[rank], row, 0, MPI_COMM_WORLD);
  MPI_Type_free(&row);
  return mine;
}

// Rank 0's text on every rank.
std::string agree(std::string text) {
  int length = int(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  text.resize(length);
  MPI_Bcast(text.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

}  // namespace

std::string deal(const std::string& path, int batch, std::uint64_t seed, Shard& shard) {
  int rank, np;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  std::vector<std::uint8_t> rows;
  std::string error = rank == 0 ? read_file(path, rows) : "";
  if (error = agree(error); !error.empty()) return error;

  int images = int(rows.size() / kRow);
  MPI_Bcast(&images, 1, MPI_INT, 0, MPI_COMM_WORLD);
  Sizes& sizes = shard.sizes;
  sizes.test = images / kTestShare;
  sizes.train = images - sizes.test;
  sizes.batch = batch;
  if (batch > sizes.train)
    return "--batch is " + std::to_string(batch) + ", but there are only " + std::to_string(sizes.train) +
           " training images";

  std::vector<std::uint8_t> train_rows, test_rows;
  if (rank == 0) {
    rows = reordered(rows, shuffled(images, seed));
    test_rows.assign(rows.begin(), rows.begin() + sizes.test * kRow);
    rows.erase(rows.begin(), rows.begin() + sizes.test * kRow);
    train_rows = reordered(rows, order_by_rank(sizes, np));
  }
  std::vector<int> train_counts(np), test_counts(np);
  for (int r = 0; r < np; ++r) {
    train_counts[r] = part_starts(sizes, r, np).back();
    test_counts[r] = split(sizes.test, r + 1, np) - split(sizes.test, r, np);
  }
  shard.train = scatter(train_rows, train_counts, rank);
  shard.test = scatter(test_rows, test_counts, rank);
  shard.starts = part_starts(sizes, rank, np);
  return "";
}

std::string default_data_path() {
  std::error_code error;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  std::filesystem::path beside = program.parent_path().parent_path() / "share/tutti/digits.csv";
  if (!error && std::filesystem::exists(beside, error)) return beside.string();
  return TUTTI_DIGITS_CSV;
}

std::vector<int> shuffled(int count, std::uint64_t seed) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (int i = count - 1; i > 0; --i) std::swap(order[i], order[next_random(seed) % std::uint64_t(i + 1)]);
  return order;
}

}  // namespace tutti::bench
