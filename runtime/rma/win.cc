#include "rma/win.h"

#include <algorithm>
#include <new>

#include "base/process.h"
#include "machine/arena.h"
#include "rma/agent.h"

namespace tutti {

Win::Win(Ref<Comm> own, rma::Flavor f)
    : Counted(Kind::kWin),
      comm(std::move(own)),
      flavor(f),
      targets(static_cast<std::size_t>(comm->size)),
      errhandler(&predefined_errhandler(Errhandler::Action::kFatal)),
      info(make_ref<Info>()) {
  epochs.locked.resize(targets.size());
  epochs.unchecked.resize(targets.size());
}

Win::~Win() {
  agent.reset();
  for (void* memory : owned) (void)process.arena->free(memory);
}

std::byte* Win::mine(std::uint64_t disp, rma::Span span) const {
  if (flavor == rma::Flavor::kDynamic) {
    const std::uint64_t begin = disp + static_cast<std::uint64_t>(span.low), end = disp + static_cast<std::uint64_t>(span.high);
    const bool inside = std::ranges::any_of(
        regions, [&](const rma::Region& r) { return r.begin <= begin && begin <= end && end <= r.end; });
    return inside ? reinterpret_cast<std::byte*>(disp) : nullptr;
  }
  const Count size = targets[static_cast<std::size_t>(comm->rank)].size, at = static_cast<Count>(disp);
  if (at < 0 || at > size || at + span.low < 0 || span.high > size - at) return nullptr;
  return static_cast<std::byte*>(base) + at;
}

std::string describe(const Win& win) {
  if (!win.name.empty()) return win.name;
  return text_of("a window of %d rank%s", win.comm->size, win.comm->size == 1 ? "" : "s");
}

namespace rma {
namespace {

Err only_dynamic(const Win& win) {
  if (win.flavor == Flavor::kDynamic) return {};
  return FAIL(kErrRmaFlavor, "win is %s, which was not made by MPI_Win_create_dynamic", describe(win).c_str());
}

}  // namespace

Err attach(Win& win, void* base, Count size) {
  TRY(only_dynamic(win));
  if (size < 0) return FAIL(kErrSize, "size is %lld; it must be at least 0", static_cast<long long>(size));
  if (!base && size > 0) return FAIL(kErrBase, "base is a null pointer, but size is %lld", static_cast<long long>(size));
  const auto begin = reinterpret_cast<std::uint64_t>(base), end = begin + static_cast<std::uint64_t>(size);
  for (const Region& r : win.regions)
    if (begin == r.begin || (begin < r.end && r.begin < end))
      return FAIL(kErrRmaAttach, "%lld bytes at %p overlap memory that is attached already", static_cast<long long>(size),
                  base);
  win.regions.push_back({begin, end});
  return {};
}

Err detach(Win& win, const void* base) {
  TRY(only_dynamic(win));
  const auto gone = std::erase_if(win.regions, [&](const Region& r) { return r.begin == reinterpret_cast<std::uint64_t>(base); });
  if (gone == 0) return FAIL(kErrRmaAttach, "base is %p, where no attached memory begins", base);
  return {};
}

}  // namespace rma
}  // namespace tutti
