#include "coll/rates_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "base/env.h"
#include "base/nearest.h"

namespace tutti::coll {
namespace {

using Json = nlohmann::ordered_json;

// A number of a struct, by its name in the file.
template <class Struct>
struct Field {
  std::string_view name;
  double Struct::* value;
};
constexpr Field<Link> kLink[] = {
    {"start_us", &Link::start_us}, {"byte_us", &Link::byte_us}, {"rendezvous_us", &Link::rendezvous_us}};
constexpr std::string_view kKeys[] = {"node", "net", "reduce_us", "ports", "eager_bytes"};

Err unknown(const std::string& key, std::span<const std::string_view> valid) {
  std::string list;
  for (std::string_view v : valid) list += (list.empty() ? "" : ", ") + std::string(v);
  const std::string guess = nearest(key, valid);
  return FAIL(kErrArg, "unknown key \"%s\"; %s", key.c_str(),
              (guess.empty() ? "there is " + list : "did you mean \"" + guess + "\"?").c_str());
}

Result<double> number(const Json& value, const std::string& key, double least) {
  if (value.is_number() && value.get<double>() >= least && value.get<double>() <= 1e15) return value.get<double>();
  return FAIL(kErrArg, "%s is %s; it must be a number from %g", key.c_str(), value.dump().c_str(), least);
}

Err read_link(const Json& object, const std::string& name, Link& link) {
  if (!object.is_object()) return FAIL(kErrArg, "%s is %s; it must be an object", name.c_str(), object.dump().c_str());
  for (const auto& [key, value] : object.items()) {
    const auto field = std::find_if(std::begin(kLink), std::end(kLink), [&](const auto& f) { return f.name == key; });
    if (field == std::end(kLink)) {
      constexpr std::string_view kNames[] = {kLink[0].name, kLink[1].name, kLink[2].name};
      return unknown(key, kNames);
    }
    link.*field->value = TRY(number(value, name + "." + key, 0));
  }
  return {};
}

Result<Rates> rates_of(const Json& all) {
  if (!all.is_object()) return FAIL(kErrArg, "the file must hold one object, as json_of() writes it");
  Rates rates;
  for (const auto& [key, value] : all.items()) {
    if (key == "node") {
      TRY(read_link(value, key, rates.node));
    } else if (key == "net") {
      TRY(read_link(value, key, rates.net));
    } else if (key == "reduce_us") {
      rates.reduce_us = TRY(number(value, key, 0));
    } else if (key == "ports") {
      rates.ports = int(std::min(TRY(number(value, key, 1)), 1024.0));
    } else if (key == "eager_bytes") {
      rates.eager_bytes = Count(TRY(number(value, key, 0)));
    } else {
      return unknown(key, kKeys);
    }
  }
  return rates;
}

Json link_json(const Link& link) {
  Json object;
  for (const auto& field : kLink) object[std::string(field.name)] = link.*field.value;
  return object;
}

}  // namespace

Result<Rates> rates_of_json(const std::string& text) {
  try {
    return rates_of(Json::parse(text));
  } catch (const Json::exception& e) {
    return FAIL(kErrArg, "not JSON: %s", e.what());
  }
}

std::string json_of(const Rates& rates) {
  const Json all = {{"node", link_json(rates.node)},
                    {"net", link_json(rates.net)},
                    {"reduce_us", rates.reduce_us},
                    {"ports", rates.ports},
                    {"eager_bytes", rates.eager_bytes}};
  return all.dump(2) + "\n";
}

std::string rates_file_of(const std::string& host) {
  const std::string cache = env_other("XDG_CACHE_HOME");
  return (cache.empty() ? env_other("HOME") + "/.cache" : cache) + "/tutti/rates-" + host + ".json";
}

Result<Rates> read_rates(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  if (!file || !(text << file.rdbuf()))
    return FAIL(errno == ENOENT ? kErrNoSuchFile : kErrArg, "cannot read %s: %s", path.c_str(), std::strerror(errno));
  auto rates = rates_of_json(text.str());
  if (!rates) return FAIL(kErrArg, "%s: %s", path.c_str(), rates.err().text().c_str());
  return rates;
}

Err write_rates(const std::string& path, const Rates& rates) {
  std::ofstream file(path);
  if (!(file << json_of(rates)) || !file.flush())
    return FAIL(kErrArg, "cannot write %s: %s", path.c_str(), std::strerror(errno));
  return {};
}

}  // namespace tutti::coll
