#include "coll/settings.h"

#include <time.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/process.h"
#include "coll/rates_file.h"
#include "machine/boot.h"
#include "machine/segment.h"

namespace tutti::coll {
namespace {

constexpr char kKey[] = "tutti.settings";

Rates read_own_rates() {
  const std::string named = process.env.rates, file = named.empty() ? rates_file_of(process.boot->facts().host) : named;
  auto rates = read_rates(file);
  if (rates) {
    LOG(kInfo, "tuning", "rates of the machine from %s", file.c_str());
    return rates.take();
  }
  // Nobody needs the file of tutti tune, but one that is named, or is wrong, is worth a line.
  if (!named.empty() || rates.err().mpi_class() != kErrNoSuchFile)
    log_line(Level::kWarn, "tuning", "%s; the defaults are used", rates.err().text().c_str());
  return {};
}

// Where ranks outnumber CPUs, a message costs a context switch.
Rates own_rates() {
  Rates rates = read_own_rates();
  constexpr double kSwitchUs = 3.0;
  const machine::Segment* segment = process.segment;
  if (segment && segment->header().local_size > segment->header().usable_cpus) rates.node.start_us += kSwitchUs;
  return rates;
}

Settings own_settings() {
  return {parse_algo(process.env.algo).rules, process.env.determinism == "strict", own_rates()};
}

constexpr char kStrict[] = "strict;";

// Rates as JSON, and rules in a line, which kStrict may begin.
std::string to_text(const Settings& settings) {
  std::string text = json_of(settings.rates) + '\0' + (settings.strict ? kStrict : "");
  for (const AlgoRule& rule : settings.rules) text += text_of(rule) + ";";
  return text;
}

Settings from_text(const std::string& text) {
  const std::size_t end = std::min(text.find('\0'), text.size());
  std::string_view rest = std::string_view(text).substr(std::min(end + 1, text.size()));
  Settings settings{.rules = {}, .strict = rest.starts_with(kStrict)};
  if (settings.strict) rest.remove_prefix(sizeof kStrict - 1);
  settings.rules = parse_algo(rest).rules;
  if (auto rates = rates_of_json(text.substr(0, end))) settings.rates = rates.take();
  return settings;
}

bool one_node() { return process.boot->facts().nodes == 1; }

}  // namespace

Err publish_settings() {
  if (process.world_rank != 0 || process.world_size == 1) return {};
  const std::string text = to_text(own_settings());
  if (!one_node()) {
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return process.boot->put(kKey, {bytes, bytes + text.size()});
  }
  machine::SegmentHeader& header = process.segment->header();
  if (text.size() > sizeof header.settings)
    return FAIL(kErrOther, "TUTTI_ALGO has rules of %zu bytes; %zu fit", text.size(), sizeof header.settings);
  std::memcpy(header.settings, text.data(), text.size());
  header.settings_bytes.store(std::uint32_t(text.size()), std::memory_order_release);
  return {};
}

Settings agreed_settings() {
  if (process.world_size == 1) return own_settings();
  if (!one_node()) {
    auto bytes = process.boot->get(0, kKey);
    if (!bytes) return own_settings();
    const auto text = bytes.take();
    return from_text({reinterpret_cast<const char*>(text.data()), text.size()});
  }
  const machine::SegmentHeader& header = process.segment->header();
  std::uint32_t bytes = 0;
  while ((bytes = header.settings_bytes.load(std::memory_order_acquire)) == 0) {
    const timespec moment{0, 50'000};
    nanosleep(&moment, nullptr);
  }
  return from_text({header.settings, std::min<std::size_t>(bytes, sizeof header.settings)});
}

}  // namespace tutti::coll
