#include "bench/bench_report.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <string_view>

namespace tutti::bench {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) >= ' ') result += c;
  }
  return result + "\"";
}

const char* yes_no(bool value) { return value ? "true" : "false"; }

// Writes a file through `body`, and says so when the disk would not have it.
template <class Body>
std::string write_file(const std::string& path, const char* option, Body body) {
  std::string error = "cannot write " + path + " (" + option + "): ";
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) return error + std::strerror(errno);
  body(file);
  bool failed = std::ferror(file);
  return std::fclose(file) == 0 && !failed ? "" : error + std::strerror(errno);
}

}  // namespace

Setting find_setting(int rank, int np) {
  Setting setting{.np = np};
  char library[MPI_MAX_LIBRARY_VERSION_STRING], host[MPI_MAX_PROCESSOR_NAME] = "";
  int length;
  MPI_Get_library_version(library, &length);
  for (char c : std::string_view(library, std::strcspn(library, "\r\n"))) {
    bool blank = c == ' ' || c == '\t', again = setting.library.ends_with(' ');
    if (!blank || !again) setting.library += blank ? ' ' : c;
  }
  MPI_Get_processor_name(host, &length);
  setting.host = host;
  std::vector<char> all(std::size_t(np) * sizeof host);
  MPI_Gather(host, sizeof host, MPI_CHAR, all.data(), sizeof host, MPI_CHAR, 0, MPI_COMM_WORLD);
  std::set<std::string> names;
  for (int r = 0; rank == 0 && r < np; ++r) names.insert(all.data() + r * sizeof host);
  setting.hosts = int(names.size());
  return setting;
}

void print_header(const Setting& setting, const BenchOptions& options) {
  std::string others = setting.hosts > 1 ? " and " + std::to_string(setting.hosts - 1) + " more" : "";
  std::printf("# tutti_bench: %d ranks on %s%s\n# MPI: %s\n", setting.np, setting.host.c_str(), others.c_str(),
              setting.library.c_str());
  std::printf("# buffers: %s, %s; root: %s; results: %s\n", options.alloc_mem() ? "MPI_Alloc_mem" : "malloc",
              options.rewrite ? "rewritten before each call" : "written once",
              options.rotate_root ? "rotating" : "rank 0", options.check ? "checked" : "not checked");
}

void print_op_header(const Op& op, const BenchOptions& options) {
  std::printf("\n%s   (bytes: %s)\n", op.name, op.counted);
  std::printf("%10s %11s %11s %11s %11s %11s %s%9s%s\n", "bytes", "min us", "median us", "avg us", "max us", "MB/s",
              op.p2p() ? "  Mmsg/s   " : "", "calls", options.check ? "  check" : "");
}

void print_result(const Result& r, const BenchOptions& options) {
  std::printf("%10zu %11.2f %11.2f %11.2f %11.2f %11.1f ", r.bytes, r.min_us, r.median_us, r.avg_us, r.max_us,
              r.mb_per_s);
  if (r.op->p2p()) std::printf("%8.4f   ", 1e-6 * r.messages_per_s);
  std::printf("%9ld%s\n", r.calls, !options.check ? "" : r.wrong ? "  WRONG" : "  ok");
  std::fflush(stdout);
}

void print_list() {
  for (const Op* op : all_ops()) std::printf("%-22s %-12s bytes: %s\n", op->name, op->group, op->counted);
}

std::string write_json(const std::string& path, const Setting& setting, const BenchOptions& options,
                       const std::vector<Result>& results) {
  return write_file(path, "--json", [&](std::FILE* file) {
    std::fprintf(file, "{\n  \"library\": %s,\n  \"host\": %s,\n  \"hosts\": %d,\n  \"np\": %d,\n",
                 quoted(setting.library).c_str(), quoted(setting.host).c_str(), setting.hosts, setting.np);
    std::fprintf(
        file, "  \"memory\": %s,\n  \"rewrite\": %s,\n  \"rotate_root\": %s,\n  \"check\": %s,\n  \"results\": [",
        quoted(options.memory).c_str(), yes_no(options.rewrite), yes_no(options.rotate_root), yes_no(options.check));
    const char* separator = "\n";
    for (const Result& r : results) {
      std::fprintf(file,
                   "%s    {\"op\": \"%s\", \"bytes\": %zu, \"min_us\": %.4f, \"median_us\": %.4f, \"avg_us\": %.4f, "
                   "\"max_us\": %.4f, \"mb_per_s\": %.3f, \"messages_per_s\": %.1f, \"calls\": %ld, \"wrong\": %ld}",
                   separator, r.op->name, r.bytes, r.min_us, r.median_us, r.avg_us, r.max_us, r.mb_per_s,
                   r.messages_per_s, r.calls, r.wrong);
      separator = ",\n";
    }
    std::fprintf(file, "\n  ]\n}\n");
  });
}

std::string write_csv(const std::string& path, const std::vector<Result>& results) {
  return write_file(path, "--csv", [&](std::FILE* file) {
    std::fprintf(file, "op,bytes,min_us,median_us,avg_us,max_us,mb_per_s,messages_per_s,calls,wrong\n");
    for (const Result& r : results)
      std::fprintf(file, "%s,%zu,%.4f,%.4f,%.4f,%.4f,%.3f,%.1f,%ld,%ld\n", r.op->name, r.bytes, r.min_us, r.median_us,
                   r.avg_us, r.max_us, r.mb_per_s, r.messages_per_s, r.calls, r.wrong);
  });
}

}  // namespace tutti::bench
