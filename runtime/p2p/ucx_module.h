// Loads libtutti_ucx.so, the module that holds every call into UCX, when the job needs it: more than one node, or
// TUTTI_TRANSPORT=ucx. It lies beside libtutti.so.0. Merely loading UCX reads its settings and installs handlers, so
// its presets go into the environment just before.
#pragma once
#include <memory>
#include <string>

#include "base/err.h"
#include "p2p/transport.h"

namespace tutti::p2p {

// What the module's only exported function gets. Core and module are built together: `version` guards the rest.
struct UcxStart {
  unsigned version;
  Sink* sink;
  machine::Boot* boot;
  int world_rank, world_size;
};
inline constexpr unsigned kUcxVersion = 1;
inline constexpr char kUcxOpen[] = "tutti_ucx_open";
// Null on failure, *err tells why. The caller deletes the transport.
using UcxOpen = Transport* (*)(const UcxStart& start, Err* err);

class UcxModule {
 public:
  UcxModule() = default;
  ~UcxModule();
  UcxModule(const UcxModule&) = delete;
  UcxModule& operator=(const UcxModule&) = delete;
  // Collective over the job: addresses are exchanged. tls: which of UCX's transports, as its UCX_TLS. net_if: Env's.
  Err open(Sink& sink, machine::Boot& boot, int world_rank, int world_size, const char* tls, const std::string& net_if);
  Transport* transport() const { return transport_.get(); }  // null: not open

 private:
  std::unique_ptr<Transport> transport_;
};

}  // namespace tutti::p2p
