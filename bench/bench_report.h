// What tutti_bench tells: a table on stdout as it goes, and files at the end. Rank 0 only.
#pragma once
#include <string>
#include <vector>

#include "bench/bench_measure.h"

namespace tutti::bench {

// Where and on what the numbers were taken.
struct Setting {
  std::string library;  // first line of MPI_Get_library_version
  std::string host;     // of rank 0
  int hosts = 1, np = 1;
};
Setting find_setting(int rank, int np);  // collective

void print_header(const Setting& setting, const BenchOptions& options);
void print_op_header(const Op& op, const BenchOptions& options);
void print_result(const Result& result, const BenchOptions& options);
void print_list();

// Each returns what went wrong, or an empty string.
std::string write_json(const std::string& path, const Setting&, const BenchOptions&, const std::vector<Result>&);
std::string write_csv(const std::string& path, const std::vector<Result>& results);

}  // namespace tutti::bench
