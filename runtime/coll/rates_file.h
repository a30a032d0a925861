// Rates as JSON, for the simulator and the choice: what `tutti tune` writes and a person may edit. All numbers may be
// left out; then they are the defaults'. Any thread.
//
//   {"node": {"start_us": 0.3, "byte_us": 9.5e-5, "rendezvous_us": 1},
//    "net": {"start_us": 5, "byte_us": 2e-4, "rendezvous_us": 5},
//    "reduce_us": 5e-5, "ports": 1, "eager_bytes": 16384}
#pragma once
#include <string>

#include "base/err.h"
#include "coll/shape.h"

namespace tutti::coll {

// An error names the key that is not known or holds what it may not.
Result<Rates> rates_of_json(const std::string& text);
std::string json_of(const Rates& rates);

// Where `tutti tune` writes what it finds, and jobs look: rates-HOST.json in the user's cache folder.
std::string rates_file_of(const std::string& host);

// The same from and to a file; an error names it. kErrNoSuchFile: it is not there.
Result<Rates> read_rates(const std::string& path);
Err write_rates(const std::string& path, const Rates& rates);

}  // namespace tutti::coll
