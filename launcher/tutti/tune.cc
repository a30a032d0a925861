// tutti tune: measures how fast this machine is, for the choice of algorithms and for tutti simulate.
#include "launcher/tutti/command.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/env.h"
#include "coll/rates_file.h"
#include "data/datatype.h"
#include "data/op.h"
#include "launcher/hosts.h"
#include "launcher/tutti/progress.h"

namespace tutti::launcher {
namespace {

using coll::Link;
using coll::Rates;

constexpr char kExamples[] =
    "Examples:\n"
    "  tutti tune\n"
    "  tutti tune --between \"prterun -H node1,node2 -n 2\"     # the network, too\n"
    "  tutti tune --output - --seconds 0.2\n"
    "  TUTTI_RATES=fabric.json mpirun -np 64 ./train           # another file than this host's\n";

// One message's bytes and its time, one way.
struct Sample {
  double bytes, us;
};

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Runs a shell's command line. An error holds the last line that it said.
Err run_line(const std::string& line) {
  std::FILE* said = popen((line + " 2>&1").c_str(), "r");
  if (!said) return FAIL(kErrOther, "cannot start %s: %s", line.c_str(), std::strerror(errno));
  std::string last;
  char text[512];
  while (std::fgets(text, sizeof text, said))
    if (text[0] != '\n') last = text;
  const int status = pclose(said);
  if (!last.empty() && last.back() == '\n') last.pop_back();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return FAIL(kErrOther, "%s failed: %s", line.c_str(), last.c_str());
}

// Times of messages between the two ranks that `launch`, a shell's command line, starts.
Result<std::vector<Sample>> time_messages(const std::string& launch, const std::filesystem::path& bench, double seconds) {
  const std::string file = (std::filesystem::temp_directory_path() / ("tutti-tune-" + std::to_string(getpid()) + ".json")).string();
  const Err failed = run_line(text_of("%s %s --ops latency --min 8 --max 4M --step 2 --time %g --json %s", launch.c_str(),
                                      quoted(bench.string()).c_str(), seconds, quoted(file).c_str()));
  std::vector<Sample> samples;
  if (!failed) {
    const auto results = nlohmann::json::parse(std::ifstream(file), nullptr, false);
    if (results.is_object() && results.contains("results"))
      for (const auto& r : results["results"]) samples.push_back({r.value("bytes", 0.0), r.value("min_us", 0.0)});
  }
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  if (failed) return FAIL(kErrOther, "%s", failed.text().c_str());
  if (samples.size() < 10) return FAIL(kErrOther, "%s gave %zu times; 20 were asked for", bench.c_str(), samples.size());
  return samples;
}

// The line us = a + bytes * b whose relative errors have the least squares, through messages above the eager limit.
Link fit(const std::vector<Sample>& samples, Count eager_bytes) {
  double w = 0, wx = 0, wxx = 0, wy = 0, wxy = 0;
  for (const Sample& s : samples) {
    if (s.bytes <= double(eager_bytes) || s.us <= 0) continue;
    const double weight = 1 / (s.us * s.us);
    w += weight, wx += weight * s.bytes, wxx += weight * s.bytes * s.bytes, wy += weight * s.us, wxy += weight * s.bytes * s.us;
  }
  const double start = samples.front().us, b = (w * wxy - wx * wy) / (w * wxx - wx * wx), a = (wy - b * wx) / w;
  return {start, std::max(b, 1e-9), std::max(a - start, 0.0)};
}

// Microseconds to combine a byte of floats with another.
double time_combining() {
  constexpr std::size_t kFloats = 65536;
  std::vector<float> a(kFloats, 1), b(kFloats, 2), out(kFloats);
  double best_us = 1e9;
  for (int i = 0; i < 50; ++i) {
    const auto start = std::chrono::steady_clock::now();
    combine(predefined_op(OpId::kSum), predefined_type(BasicId::kFloat), a.data(), b.data(), out.data(), Count(kFloats));
    best_us = std::min(best_us, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  return best_us / (kFloats * sizeof(float));
}

void print(const char* what, const Link& link) {
  std::printf("  %-15s %.2f us to start a message, %.2f GB/s, %.2f us for a rendezvous\n", what, link.start_us,
              1e-3 / link.byte_us, link.rendezvous_us);
}

Result<Rates> measure(const std::string& between, double seconds) {
  std::error_code unread;
  const std::filesystem::path bin = std::filesystem::read_symlink("/proc/self/exe", unread).parent_path();
  Rates rates;
  rates.eager_bytes = env_read().env.eager_bytes;
  Progress progress(between.empty() ? 2 : 3);
  progress.next("combining");
  rates.reduce_us = time_combining();
  progress.next("messages in this node");
  const std::string here = quoted((bin / "mpirun").string()) + " -q --timeout 120 -np 2";
  rates.node = fit(TRY(time_messages(here, bin / "tutti_bench", seconds)), rates.eager_bytes);
  if (between.empty()) return rates;
  progress.next("messages between nodes");
  rates.net = fit(TRY(time_messages(between, bin / "tutti_bench", seconds)), rates.eager_bytes);
  return rates;
}

Err write(const std::string& file, const std::string& text) {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (file != "-" && !folder.empty()) std::filesystem::create_directories(folder, failed);
  if (failed) return FAIL(kErrOther, "cannot make %s: %s", folder.c_str(), failed.message().c_str());
  return write_file(file, text);
}

}  // namespace

int tune(CLI::App& app, const Words& words) {
  std::string between, output = coll::rates_file_of(host_name());
  double seconds = 0.05;
  app.add_option("--between", between, "command that starts two ranks on two nodes, to measure the network; else its rates are the defaults")
      ->type_name("COMMAND");
  app.add_option("--output", output, "where to write the rates; - is stdout. Jobs look there by themselves:")->type_name("FILE")->capture_default_str();
  app.add_option("--seconds", seconds, "how long to time each of 20 sizes")->type_name("S")->check(CLI::Range(0.001, 60.0))->capture_default_str();
  app.footer(kExamples);
  if (const auto over = read_words(app, words)) return *over;
  auto measured = measure(between, seconds);
  if (!measured) return refuse(kFailed, measured.err().text());
  const Rates rates = measured.take();
  if (output != "-") {
    std::printf("%s\n", host_name().c_str());
    print("in a node", rates.node);
    print(between.empty() ? "between nodes*" : "between nodes", rates.net);
    std::printf("  %-15s %.2f GB/s\n", "combining", 1e-3 / rates.reduce_us);
    if (between.empty()) std::printf("* not measured: the defaults; --between COMMAND measures it\n");
  }
  const Err failed = write(output, coll::json_of(rates));
  if (failed) return refuse(kFailed, failed.text());
  if (output != "-") std::printf("written to %s\n", output.c_str());
  return kGood;
}

}  // namespace tutti::launcher
