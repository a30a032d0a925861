// MPI-5.0 sections 12.2, 7.7 and 9.3: windows, what is known of them, and what users hang onto them.
#include "api/body.gen.h"
#include "comm/attr.h"
#include "rma/win.h"
#include "world/call_errhandler.h"

namespace tutti::mpi {
namespace {

using rma::Flavor;

Err make(Flavor flavor, Count size, Count disp_unit, Info* info, Comm& comm, void* baseptr, Ref<Win>& win) {
  win = TRY(rma::create(comm, {.flavor = flavor, .size = size, .disp_unit = disp_unit, .info = info}));
  *static_cast<void**>(baseptr) = win->base;
  return {};
}

}  // namespace

Err win_create(void* base, Count size, Count disp_unit, Info* info, Comm& comm, Ref<Win>& win) {
  win = TRY(rma::create(comm, {Flavor::kCreate, size, disp_unit, base, info}));
  return {};
}

Err win_allocate(Count size, Count disp_unit, Info* info, Comm& comm, void* baseptr, Ref<Win>& win) {
  return make(Flavor::kAllocate, size, disp_unit, info, comm, baseptr, win);
}

Err win_allocate_shared(Count size, Count disp_unit, Info* info, Comm& comm, void* baseptr, Ref<Win>& win) {
  return make(Flavor::kShared, size, disp_unit, info, comm, baseptr, win);
}

Err win_create_dynamic(Info* info, Comm& comm, Ref<Win>& win) {
  win = TRY(rma::create(comm, {.flavor = Flavor::kDynamic, .info = info}));
  return {};
}

Err win_attach(Win& win, void* base, Count size) { return rma::attach(win, base, size); }
Err win_detach(Win& win, const void* base) { return rma::detach(win, base); }

Err win_free(Ref<Win>& win) {
  if (!win) return FAIL(kErrWin, "win is MPI_WIN_NULL");
  if (Err e = rma::close(*win)) return std::move(e).on(*win);
  win = nullptr;
  return {};
}

// kProcNull: the lowest rank with memory. Where a part can't be mapped here, there is none to speak of.
Err win_shared_query(Win& win, int rank, Count* size, Out disp_unit, void* baseptr) {
  if (win.flavor == Flavor::kDynamic)
    return FAIL(kErrRmaFlavor, "win is %s, a dynamic window, which has no memory of its own", describe(win).c_str());
  if (rank != kProcNull && (rank < 0 || rank >= win.comm->size))
    return FAIL(kErrRank, "rank is %s, but %s has ranks 0..%d (MPI_PROC_NULL would do too)", rank_text(rank).c_str(),
                describe(win).c_str(), win.comm->size - 1);
  rma::Target none{.disp_unit = 0};
  const rma::Target* found = rank == kProcNull ? nullptr : &win.targets[static_cast<std::size_t>(rank)];
  for (const rma::Target& t : win.targets)
    if (!found && t.memory && t.size > 0) found = &t;
  if (!found || !found->memory) found = &none;
  *size = found->size;
  disp_unit.set(found->disp_unit);
  *static_cast<void**>(baseptr) = found->memory;
  return {};
}

Err win_get_group(Win& win, Ref<Group>& group) {
  group = win.comm->group;
  return {};
}

Err win_set_name(Win& win, std::string_view win_name) {
  win.name = win_name.substr(0, process.profile->max_object_name - 1);
  return {};
}

Err win_get_name(Win* win, Text win_name) {
  win_name.set(win ? win->name : "MPI_WIN_NULL");
  return {};
}

Err win_set_info(Win& win, Info* info) {
  if (!info) return FAIL(kErrInfo, "info is MPI_INFO_NULL; it must be an info object");
  for (const auto& [key, value] : info->entries()) win.info->set(key, value);
  return {};
}

Err win_get_info(Win& win, Ref<Info>& info_used) {
  info_used = hints_in_use(win.info.get());
  return {};
}

Err win_set_attr(Win& win, int win_keyval, void* attribute_val) {
  return comm::set_attr(win, win.attributes, win_keyval, attribute_val);
}

// The predefined ones point to values, but for the base, which is one.
Err win_get_attr(Win& win, int win_keyval, void* attribute_val, int* flag) {
  void* value = nullptr;
  switch (win_keyval) {
    case comm::kKeyWinBase: value = win.base; break;
    case comm::kKeyWinSize: value = &win.shown.size; break;
    case comm::kKeyWinDispUnit: value = &win.shown.disp_unit; break;
    case comm::kKeyWinCreateFlavor: value = &win.shown.flavor; break;
    case comm::kKeyWinModel: value = &win.shown.model; break;
    default: return comm::get_attr(win, win.attributes, win_keyval, static_cast<void**>(attribute_val), flag);
  }
  *static_cast<void**>(attribute_val) = value;
  *flag = 1;
  return {};
}

Err win_delete_attr(Win& win, int win_keyval) { return comm::delete_attr(win, win.attributes, win_keyval); }

Err win_set_errhandler(Win& win, Errhandler& errhandler) {
  if (errhandler.target != Kind::kNone && errhandler.target != Kind::kWin)
    return FAIL(kErrErrhandler, "errhandler was not made by MPI_Win_create_errhandler, so it can't serve a window");
  win.errhandler = Ref<Errhandler>(&errhandler);
  return {};
}

Err win_get_errhandler(Win& win, Ref<Errhandler>& errhandler) {
  errhandler = win.errhandler;
  return {};
}

Err win_call_errhandler(Win& win, int errorcode) {
  return world::call_errhandler(*win.errhandler, Kind::kWin, win, "MPI_Win_call_errhandler on " + describe(win), errorcode);
}

}  // namespace tutti::mpi
