// tutti simulate: how long each algorithm of a collective would take on a machine of any size, without it.
#include "launcher/tutti/command.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/algo_names.h"
#include "base/env.h"
#include "base/nearest.h"
#include "coll/choose.h"
#include "coll/rates_file.h"
#include "coll/simulate.h"
#include "launcher/hosts.h"
#include "launcher/tutti/progress.h"

namespace tutti::launcher {
namespace {

using namespace tutti::coll;

constexpr char kExamples[] =
    "Examples:\n"
    "  tutti simulate --coll allreduce --nodes 1024 --ppn 96 --bytes 1M\n"
    "  tutti simulate --coll bcast --nodes 16 --ppn 8 --bytes 8,64K,4M --order cyclic\n"
    "  tutti simulate --coll alltoall --ppn 64 --algo bruck,pairwise\n"
    "  tutti simulate --print-rates > fabric.json      # edit it, then:\n"
    "  tutti simulate --coll allreduce --nodes 64 --ppn 8 --rates fabric.json\n";

struct Asked {
  std::string coll, bytes = "8,128,1K,8K,64K,512K,4M", algos, order = "block", rates_file, json;
  int nodes = 1, ppn = 1, root = 0;
  Count most_steps = kMostSimulatedSteps;
  bool print_rates = false;
};

// The machine and the call, but for the bytes.
struct Setting {
  Coll coll;
  Nodes nodes;
  Rates rates;
  int size, root;
  std::vector<const Row*> rows;
  std::vector<Count> sizes;

  Shape shape(Count bytes) const {
    Shape s{.coll = coll, .size = size, .root = root, .count = bytes, .nodes = &nodes, .rates = &rates};
    if (coll == Coll::kBarrier) s.count = 0;
    if (in_blocks(coll)) s.count = size, s.unit_bytes = bytes;
    constexpr Count kFloat = 4;                       // vectors are of floats, as a gradient is
    if (reduces(coll) && bytes % kFloat == 0) s.count = bytes / kFloat, s.unit_bytes = kFloat;
    return s;
  }
};

struct Answer {
  const Row* row;
  Simulated simulated;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    parts.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

// The index of a word, or an error with the nearest valid one.
Result<int> find(const char* what, const std::string& word, std::span<const std::string_view> valid) {
  const auto at = std::find(valid.begin(), valid.end(), word);
  if (at != valid.end()) return int(at - valid.begin());
  const std::string guess = nearest(word, valid);
  std::string list;
  for (std::string_view v : valid) list += (list.empty() ? "" : ", ") + std::string(v);
  return FAIL(kErrArg, "there is no %s \"%s\"; %s", what, word.c_str(),
              (guess.empty() ? "there is " + list : "did you mean " + guess + "?").c_str());
}

Result<Coll> find_coll(const std::string& name) {
  std::vector<std::string_view> names;
  for (int c = 0; c < kColls && !among_neighbours(Coll(c)); ++c) names.push_back(kAlgoNames[c].coll);
  return Coll(TRY(find("collective", name, names)));
}

// Those of the file, else of `tutti tune` on this host, else the defaults.
Result<Rates> rates_for(const Asked& asked) {
  if (!asked.rates_file.empty()) return read_rates(asked.rates_file);
  auto tuned = read_rates(rates_file_of(host_name()));
  if (!tuned && tuned.err().mpi_class() == kErrNoSuchFile) return Rates{};
  return tuned;
}

Result<Setting> read(const Asked& asked) {
  const int size = asked.nodes * asked.ppn;
  if (asked.nodes < 1 || asked.ppn < 1 || double(asked.nodes) * asked.ppn > 1e6)
    return FAIL(kErrArg, "--nodes %d --ppn %d: both must be at least 1, and together at most 1000000 ranks", asked.nodes, asked.ppn);
  if (asked.root < 0 || asked.root >= size) return FAIL(kErrArg, "--root is %d; ranks are 0..%d", asked.root, size - 1);
  if (asked.order != "block" && asked.order != "cyclic")
    return FAIL(kErrArg, "--order is \"%s\"; it must be block or cyclic", asked.order.c_str());
  std::vector<int> node_of;
  for (int r = 0; r < size; ++r) node_of.push_back(asked.order == "block" ? r / asked.ppn : r % asked.nodes);
  Setting setting{.coll = TRY(find_coll(asked.coll)), .nodes = Nodes(node_of), .rates = {}, .size = size, .root = asked.root, .rows = {}, .sizes = {}};
  setting.rates = TRY(rates_for(asked));
  for (const std::string& part : split(asked.bytes)) setting.sizes.push_back(TRY(parse_bytes(part)));
  if (setting.coll == Coll::kBarrier) setting.sizes = {0};
  std::vector<std::string_view> names;
  for (const Row& row : rows(setting.coll)) names.push_back(row.name);
  for (const std::string& name : asked.algos.empty() ? std::vector<std::string>(names.begin(), names.end()) : split(asked.algos))
    setting.rows.push_back(&rows(setting.coll)[std::size_t(TRY(find("algorithm of this collective", name, names)))]);
  return setting;
}

// The algorithms that can serve the call, fastest first.
Result<std::vector<Answer>> answer(const Setting& setting, Count bytes, Count most_steps, Progress& progress) {
  std::vector<Answer> answers;
  const Shape shape = setting.shape(bytes);
  for (const Row* row : setting.rows) {
    progress.next(text_of("%s, %lld bytes", row->name, static_cast<long long>(bytes)));
    if (why_not(*row, shape).empty()) answers.push_back({row, TRY(simulate(*row, shape, most_steps))});
  }
  std::stable_sort(answers.begin(), answers.end(), [](const Answer& a, const Answer& b) { return a.simulated.us < b.simulated.us; });
  return answers;
}

std::string size_text(Count bytes) {
  constexpr std::string_view kSuffixes = "KMG";
  int suffix = -1;
  while (bytes > 0 && bytes % 1024 == 0 && suffix + 1 < int(kSuffixes.size())) bytes /= 1024, ++suffix;
  return std::to_string(bytes) + (suffix < 0 ? "" : std::string(1, kSuffixes[std::size_t(suffix)]));
}

void print(Count bytes, const std::vector<Answer>& answers, const char* name_of_best) {
  std::printf("\n%s bytes\n  %-18s %14s %7s %12s %14s\n", size_text(bytes).c_str(), "algorithm", "us", "ratio", "messages", "MB between nodes");
  for (const Answer& a : answers) {
    const Simulated& s = a.simulated;
    std::printf("  %-18s %14.2f %7.2f", a.row->name, s.us, answers[0].simulated.us > 0 ? s.us / answers[0].simulated.us : 1.0);
    if (s.formula)
      std::printf("   by formula: about %.1e steps", double(s.steps));
    else
      std::printf(" %12lld %14.2f", static_cast<long long>(s.messages), double(s.net_bytes) / 1e6);
    std::printf("%s\n", a.row->name == std::string_view(name_of_best) ? "   chosen by formula" : "");
  }
}

nlohmann::ordered_json json_of(Count bytes, const std::vector<Answer>& answers) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Answer& a : answers)
    list.push_back({{"algorithm", a.row->name}, {"bytes", bytes}, {"us", a.simulated.us}, {"formula", a.simulated.formula},
                    {"steps", a.simulated.steps}, {"messages", a.simulated.messages}, {"net_messages", a.simulated.net_messages},
                    {"net_bytes", a.simulated.net_bytes}});
  return list;
}

Err run(const Setting& setting, const Asked& asked) {
  nlohmann::ordered_json all = {{"coll", asked.coll}, {"nodes", asked.nodes}, {"ppn", asked.ppn}, {"order", asked.order}, {"results", nlohmann::ordered_json::array()}};
  const bool table = asked.json != "-";
  if (table) std::printf("%s on %d rank%s: %d node%s of %d, in %s order\n", asked.coll.c_str(), setting.size, setting.size == 1 ? "" : "s",
                         asked.nodes, asked.nodes == 1 ? "" : "s", asked.ppn, asked.order.c_str());
  Progress progress(int(setting.sizes.size() * setting.rows.size()));
  for (const Count bytes : setting.sizes) {
    const auto answers = TRY(answer(setting, bytes, asked.most_steps, progress));
    if (table) print(bytes, answers, choose(setting.shape(bytes), {}).row->name);
    for (auto& entry : json_of(bytes, answers)) all["results"].push_back(entry);
  }
  return asked.json.empty() ? Err() : write_file(asked.json, all.dump(1) + "\n");
}

}  // namespace

int simulate(CLI::App& app, const Words& words) {
  Asked asked;
  app.add_option("--coll", asked.coll, "collective: allreduce, bcast, ...")->type_name("NAME");
  app.add_option("--nodes", asked.nodes, "nodes")->type_name("N")->capture_default_str();
  app.add_option("--ppn", asked.ppn, "ranks of each node")->type_name("N")->capture_default_str();
  app.add_option("--bytes", asked.bytes, "sizes, of a vector or of a block; k, m and g suffixes")->type_name("LIST")->capture_default_str();
  app.add_option("--algo", asked.algos, "these algorithms alone")->type_name("LIST");
  app.add_option("--order", asked.order, "ranks of a node follow each other (block), or every so many-th is on it (cyclic)")->type_name("ORDER")->capture_default_str();
  app.add_option("--root", asked.root, "root, where there is one")->type_name("RANK")->capture_default_str();
  app.add_option("--rates", asked.rates_file, "how fast the machine is; without it, what tutti tune wrote, or defaults")->type_name("FILE");
  app.add_flag("--print-rates", asked.print_rates, "print the rates as such a file, and end");
  app.add_option("--most-steps", asked.most_steps, "what takes more steps than this comes from a formula")->type_name("N")->capture_default_str();
  app.add_option("--json", asked.json, "write all results there; - is stdout, without the table")->type_name("FILE");
  app.footer(kExamples);
  if (const auto over = read_words(app, words)) return *over;
  if (asked.print_rates) {
    auto rates = rates_for(asked);
    return rates ? (std::fputs(json_of(rates.take()).c_str(), stdout), kGood) : refuse(kFailed, rates.err().text());
  }
  if (asked.coll.empty()) return refuse(kWrongUse, "--coll is missing; tutti simulate --help tells more");
  auto setting = read(asked);
  if (!setting) return refuse(kWrongUse, setting.err().text());
  const Err failed = run(setting.take(), asked);
  return failed ? refuse(kFailed, failed.text()) : kGood;
}

}  // namespace tutti::launcher
