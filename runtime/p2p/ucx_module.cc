#include "p2p/ucx_module.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <string>

#include "base/env.h"
#include "machine/interfaces.h"

namespace tutti::p2p {
namespace {

struct Preset {
  const char *name, *value;
};
// UCX would catch signals that belong to the program, hook its malloc, guess about memory that isn't there, and write to
// the program's stdout what our errors say too.
constexpr Preset kPresets[] = {
    {"UCX_HANDLE_ERRORS", "none"},
    {"UCX_DEBUG_SIGNO", "0"},  // SIGHUP, which would turn its log on instead of ending the rank
    {"UCX_MEM_EVENTS", "n"},
    {"UCX_MEMTYPE_CACHE", "n"},
    {"UCX_WARN_UNUSED_ENV_VARS", "n"},
    {"UCX_LOG_LEVEL", "fatal"},
    {"UCX_LOG_FILE", "stderr"},
};

// Beside the library that holds this code: lib/ of the build tree or of an installation.
std::string module_path() {
  Dl_info here{};
  if (!dladdr(reinterpret_cast<void*>(&module_path), &here) || !here.dli_fname) return "libtutti_ucx.so";
  const std::string file = here.dli_fname;
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? "libtutti_ucx.so" : file.substr(0, slash + 1) + "libtutti_ucx.so";
}

constexpr int kKeepUsers = 0;  // setenv's overwrite

// UCX names an interface for TCP, and its RDMA device and port for the rest.
Err preset_interfaces(const std::string& net_if) {
  if (net_if.empty()) return {};
  std::string devices;
  for (const machine::Interface& i : TRY(machine::choose_interfaces(machine::read_interfaces(), net_if)))
    devices += (devices.empty() ? "" : ",") + i.name + (i.rdma.empty() ? "" : "," + i.rdma);
  setenv("UCX_NET_DEVICES", devices.c_str(), kKeepUsers);
  return {};
}

}  // namespace

Err UcxModule::open(Sink& sink, machine::Boot& boot, int world_rank, int world_size, const char* tls,
                    const std::string& net_if) {
  for (const Preset& p : kPresets) setenv(p.name, p.value, kKeepUsers);
  setenv("UCX_TLS", tls, kKeepUsers);
  TRY(preset_interfaces(net_if));
  const std::string library = env_other("TUTTI_UCX_LIBRARY");
  if (!library.empty() && !dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL))
    return FAIL(kErrOther, "TUTTI_UCX_LIBRARY does not load: %s", dlerror());
  const std::string path = module_path();
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // never closed: UCX's handlers may outlive us
  if (!module)
    return FAIL(kErrOther,
                "the job needs UCX (several nodes, or TUTTI_TRANSPORT=ucx), but its module does not load: %s",
                dlerror());
  const auto start = reinterpret_cast<UcxOpen>(dlsym(module, kUcxOpen));
  if (!start) return FAIL(kErrOther, "%s is not a module of this library: %s", path.c_str(), dlerror());
  Err err;
  transport_.reset(start({kUcxVersion, &sink, &boot, world_rank, world_size}, &err));
  return err;
}

UcxModule::~UcxModule() = default;

}  // namespace tutti::p2p
