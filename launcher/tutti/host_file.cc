#include "launcher/tutti/host_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

namespace tutti::launcher {
namespace {

using Json = nlohmann::ordered_json;
using machine::Host;

constexpr int kVersion = 1;
constexpr char kForm[] = "tutti_topo";
constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max(), kMostBytes = std::numeric_limits<std::int64_t>::max();

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json or_null(std::int64_t n, std::int64_t none) { return n == none ? Json() : Json(n); }

// On one line; names that are not UTF-8 are mended.
std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// What hwloc's XML does not hold.
void add_rest(Json& to, const Host& host) {
  to["usable_cpus"] = host.usable_cpus;
  for (const char* list : {"interfaces", "gpus", "nvlinks"}) to[list] = Json::array();
  for (const machine::Interface& i : host.interfaces)
    to["interfaces"].push_back({{"name", i.name}, {"up", i.up}, {"speed_mbps", or_null(i.speed_mbps, 0)}, {"numa", or_null(i.numa, -1)},
                                {"rdma", or_null(i.rdma)}, {"left_out", or_null(i.left_out)}});
  for (const machine::Gpu& g : host.gpus)
    to["gpus"].push_back({{"pci", g.pci}, {"model", g.model}, {"numa", or_null(g.numa, -1)}, {"path", g.path}});
  for (const machine::NvLink& l : host.nvlinks) to["nvlinks"].push_back({{"a", l.a}, {"b", l.b}, {"mb_per_s", l.mb_per_s}});
}

// One value of a JSON object, which `where` names, "cpus[3]".
struct Field {
  const Json& object;
  const std::string& where;
  const char* name;

  const Json& value() const {
    static const Json none;
    const auto at = object.find(name);
    return at == object.end() ? none : *at;
  }
  Err wrong(const std::string& wanted) const {
    const bool there = object.contains(name);
    return FAIL(kErrArg, "%s%s%s %s%s; it should be %s", where.c_str(), where.empty() ? "" : ".", name, there ? "is " : "is missing",
                there ? line_of(value()).substr(0, 60).c_str() : "", wanted.c_str());
  }
  Result<std::int64_t> number(std::int64_t most) const {
    const Json& v = value();
    if (v.is_number_unsigned() && v.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)) return v.get<std::int64_t>();
    return wrong("a whole number" + (most < kMost ? " in 0.." + std::to_string(most) : std::string(" from 0")));
  }
  Result<std::int64_t> number_or(std::int64_t none) const {
    if (value().is_null()) return none;
    return number(kMost);
  }
  Result<int> index(std::size_t size) const {
    if (size == 0) return wrong("absent, since there is nothing that it could mean");
    return static_cast<int>(TRY(number(static_cast<std::int64_t>(size) - 1)));
  }
  Result<bool> flag() const {
    if (!value().is_boolean()) return wrong("true or false");
    return value().get<bool>();
  }
  Result<std::string> text() const {
    if (!value().is_string()) return wrong("a text");
    return value().get<std::string>();
  }
  Result<std::string> text_or_none() const {
    if (value().is_null()) return std::string();
    return text();
  }
};

// Calls f(entry, "list[i]") for each object of a list of the file.
template <class F> Err each(const Json& file, const char* list, F f) {
  const auto found = file.find(list);
  if (found == file.end() || !found->is_array()) return FAIL(kErrArg, "%s should be a list", list);
  for (std::size_t i = 0; i < found->size(); ++i) {
    const std::string where = std::string(list) + "[" + std::to_string(i) + "]";
    if (!(*found)[i].is_object()) return FAIL(kErrArg, "%s should be an object", where.c_str());
    TRY(f((*found)[i], where));
  }
  return {};
}

Result<std::vector<std::string>> texts(const Field& field) {
  std::vector<std::string> all;
  if (!field.value().is_array()) return field.wrong("a list of texts");
  for (const Json& v : field.value()) {
    if (!v.is_string()) return field.wrong("a list of texts");
    all.push_back(v.get<std::string>());
  }
  return all;
}

Err read_rest(const Json& file, Host& host) {
  host.usable_cpus = static_cast<int>(TRY((Field{file, "", "usable_cpus"}.number(kMost))));
  host.interfaces.clear(), host.gpus.clear(), host.nvlinks.clear();
  TRY(each(file, "interfaces", [&](const Json& j, const std::string& at) -> Err {
    machine::Interface i;
    i.name = TRY((Field{j, at, "name"}.text()));
    i.up = TRY((Field{j, at, "up"}.flag()));
    i.speed_mbps = TRY((Field{j, at, "speed_mbps"}.number_or(0)));
    i.numa = static_cast<int>(TRY((Field{j, at, "numa"}.number_or(-1))));
    i.rdma = TRY((Field{j, at, "rdma"}.text_or_none()));
    i.left_out = TRY((Field{j, at, "left_out"}.text_or_none()));
    host.interfaces.push_back(std::move(i));
    return {};
  }));
  TRY(each(file, "gpus", [&](const Json& j, const std::string& at) -> Err {
    machine::Gpu g;
    g.pci = TRY((Field{j, at, "pci"}.text()));
    g.model = TRY((Field{j, at, "model"}.text()));
    g.numa = static_cast<int>(TRY((Field{j, at, "numa"}.number_or(-1))));
    g.path = TRY(texts({j, at, "path"}));
    host.gpus.push_back(std::move(g));
    return {};
  }));
  return each(file, "nvlinks", [&](const Json& j, const std::string& at) -> Err {
    machine::NvLink l;
    l.a = TRY((Field{j, at, "a"}.index(host.gpus.size())));
    l.b = TRY((Field{j, at, "b"}.index(host.gpus.size())));
    l.mb_per_s = TRY((Field{j, at, "mb_per_s"}.number(kMostBytes)));
    host.nvlinks.push_back(l);
    return {};
  });
}

Err read_cpus(const Json& file, Host& host) {
  TRY(each(file, "packages", [&](const Json& j, const std::string& at) -> Err {
    host.packages.push_back(TRY((Field{j, at, "model"}.text_or_none())));
    return {};
  }));
  TRY(each(file, "numa", [&](const Json& j, const std::string& at) -> Err {
    const auto os = TRY((Field{j, at, "os"}.number(kMost)));
    host.numas.push_back({static_cast<int>(os), TRY((Field{j, at, "memory_bytes"}.number(kMostBytes)))});
    return {};
  }));
  TRY(each(file, "l3", [&](const Json& j, const std::string& at) -> Err {
    host.l3_bytes.push_back(TRY((Field{j, at, "bytes"}.number(kMostBytes))));
    return {};
  }));
  TRY(each(file, "cpus", [&](const Json& j, const std::string& at) -> Err {
    machine::Pu pu;
    pu.os = static_cast<int>(TRY((Field{j, at, "os"}.number(kMost))));
    pu.core = static_cast<int>(TRY((Field{j, at, "core"}.number(kMost))));
    pu.package = TRY((Field{j, at, "package"}.index(host.packages.size())));
    pu.numa = TRY((Field{j, at, "numa"}.index(host.numas.size())));
    pu.l3 = host.l3_bytes.empty() ? pu.numa : TRY((Field{j, at, "l3"}.index(host.l3_bytes.size())));
    pu.ours = TRY((Field{j, at, "ours"}.flag()));
    host.pus.push_back(pu);
    return {};
  }));
  return host.pus.empty() ? FAIL(kErrArg, "cpus is empty; a host has one at least") : Err();
}

Result<Json> parse_json(const std::string& text) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& e) {
    return FAIL(kErrArg, "not JSON: %s", e.what());
  }
}

Result<HostFile> from_json(const std::string& text) {
  const Json file = TRY(parse_json(text));
  if (!file.contains(kForm)) return FAIL(kErrArg, "JSON, but not of tutti topo: it has no \"%s\"", kForm);
  if (file[kForm] != kVersion) return FAIL(kErrArg, "\"%s\" is %s, but this tutti reads form %d", kForm, line_of(file[kForm]).c_str(), kVersion);
  HostFile out;
  out.host.name = TRY((Field{file, "", "host"}.text()));
  TRY(read_cpus(file, out.host));
  TRY(read_rest(file, out.host));
  return out;
}

Result<HostFile> from_xml(const std::string& text) {
  HostFile out;
  out.topo = TRY(machine::Topo::from_xml(text));
  out.host = out.topo->host();
  if (const std::string note = out.topo->note(); !note.empty()) TRY(read_rest(TRY(parse_json(note)), out.host));
  return out;
}

Result<std::string> all_of(const std::string& file, const std::string& name) {
  std::FILE* in = file == "-" ? stdin : std::fopen(file.c_str(), "r");
  std::string text;
  char part[65536];
  while (in) {
    const std::size_t n = std::fread(part, 1, sizeof part, in);
    text.append(part, n);
    if (n < sizeof part) break;
  }
  const bool failed = !in || std::ferror(in);
  const int why = errno;
  if (in && in != stdin) std::fclose(in);
  return failed ? Result<std::string>(FAIL(kErrArg, "%s: %s", name.c_str(), std::strerror(why))) : text;
}

}  // namespace

Result<HostFile> read_this_host(const std::string& net_if) {
  HostFile out;
  out.topo = TRY(machine::Topo::load_with_devices());
  out.host = out.topo->host();
  out.host.gpus = machine::read_gpus();
  out.host.nvlinks = out.topo->nvlinks(out.host.gpus);
  out.host.interfaces = machine::read_interfaces();
  if (net_if.empty()) return out;
  const auto chosen = TRY(machine::choose_interfaces(out.host.interfaces, net_if));
  for (machine::Interface& i : out.host.interfaces) {
    bool is_it = false;
    for (const machine::Interface& c : chosen) is_it |= c.name == i.name;
    if (is_it) i.left_out.clear();
    else if (i.left_out.empty()) i.left_out = "by TUTTI_NET_IF";
  }
  return out;
}

Result<HostFile> read_host(const std::string& file) {
  const std::string name = file == "-" ? "stdin" : file;
  const std::string text = TRY(all_of(file, name));
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const char first = begin == std::string::npos ? '\0' : text[begin];
  if (first != '{' && first != '<') return FAIL(kErrArg, "%s: neither hwloc's XML nor tutti's JSON", name.c_str());
  Result<HostFile> host = first == '{' ? from_json(text) : from_xml(text);
  if (!host) return FAIL(kErrArg, "%s: %s", name.c_str(), host.err().text().c_str());
  return host;
}

std::string to_json(const Host& host) {
  Json file = {{kForm, kVersion}, {"host", host.name}};
  for (const char* list : {"packages", "numa", "l3", "cpus"}) file[list] = Json::array();
  for (const std::string& model : host.packages) file["packages"].push_back({{"model", or_null(model)}});
  for (const machine::NumaNode& n : host.numas) file["numa"].push_back({{"os", n.os}, {"memory_bytes", n.memory_bytes}});
  for (const std::int64_t bytes : host.l3_bytes) file["l3"].push_back({{"bytes", bytes}});
  for (const machine::Pu& p : host.pus)
    file["cpus"].push_back({{"os", p.os}, {"core", p.core}, {"l3", p.l3}, {"numa", p.numa}, {"package", p.package}, {"ours", p.ours}});
  add_rest(file, host);
  std::string out;
  for (const auto& [name, value] : file.items()) {          // an entry a line, which Json's own indentation cannot do
    out += (out.empty() ? "{" : ",\n ") + line_of(name) + ": ";
    if (!value.is_array() || value.empty()) { out += line_of(value); continue; }
    for (std::size_t i = 0; i < value.size(); ++i) out += (i ? ",\n  " : "[\n  ") + line_of(value[i]);
    out += "]";
  }
  return out + "}\n";
}

Result<std::string> to_xml(const HostFile& from) {
  if (!from.topo) return FAIL(kErrArg, "XML is made from this host or from XML, since JSON does not hold all of it");
  Json rest;
  add_rest(rest, from.host);
  return from.topo->xml(line_of(rest));
}

}  // namespace tutti::launcher
