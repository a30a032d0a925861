// MPI-5.0 section 20.2 (what the binary interface is) and 9.1.3 (what the process is bound to).
#include <cstring>
#include <string>

#include "api/body.gen.h"
#include "comm/info.h"
#include "world/hardware.h"

namespace tutti::mpi {
namespace {

// What a Fortran binding, which knows its compiler, tells the library once. Set before Init and kept for good.
struct Fortran {
  Ref<Info> info;
  struct Booleans {
    bool set = false;
    char yes[16], no[16];
  } booleans[5];  // of LOGICALs of 1, 2, 4, 8 and 16 bytes
};

Fortran& fortran() {
  static Fortran& known = *new Fortran;
  return known;
}

Result<Fortran::Booleans*> booleans(int logical_size) {
  for (int i = 0; i < 5; ++i)
    if (logical_size == 1 << i) return &fortran().booleans[i];
  return FAIL(kErrArg, "logical_size is %d; a LOGICAL has 1, 2, 4, 8 or 16 bytes", logical_size);
}

}  // namespace

Err abi_get_version(int* abi_major, int* abi_minor) {
  *abi_major = 1;
  *abi_minor = 0;
  return {};
}

Err abi_get_info(Ref<Info>& info) {
  info = make_ref<Info>();
  info->set("mpi_aint_size", std::to_string(sizeof(void*)));
  info->set("mpi_count_size", "8");
  info->set("mpi_offset_size", "8");
  return {};
}

Err abi_set_fortran_info(Info* info) {
  if (!info) return FAIL(kErrInfo, "info is MPI_INFO_NULL; it must be an info object");
  if (fortran().info) return FAIL(kErrAbi, "Fortran's details were set before; that can be done once");
  fortran().info = info->dup();
  return {};
}

// MPI_INFO_NULL: nobody has told.
Err abi_get_fortran_info(Ref<Info>& info) {
  if (fortran().info) info = fortran().info->dup();
  return {};
}

Err abi_set_fortran_booleans(int logical_size, void* logical_true, void* logical_false) {
  Fortran::Booleans* const b = TRY(booleans(logical_size));
  if (b->set)
    return FAIL(kErrAbi, "the values of a LOGICAL of %d bytes were set before; that can be done once", logical_size);
  std::memcpy(b->yes, logical_true, static_cast<std::size_t>(logical_size));
  std::memcpy(b->no, logical_false, static_cast<std::size_t>(logical_size));
  b->set = true;
  return {};
}

Err abi_get_fortran_booleans(int logical_size, void* logical_true, void* logical_false, int* is_set) {
  const Fortran::Booleans* const b = TRY(booleans(logical_size));
  *is_set = b->set;
  if (!b->set) return {};
  std::memcpy(logical_true, b->yes, static_cast<std::size_t>(logical_size));
  std::memcpy(logical_false, b->no, static_cast<std::size_t>(logical_size));
  return {};
}

// "true" where all our CPUs lie in one such part, which is then the one we are restricted to.
Err get_hw_resource_info(Ref<Info>& hw_info) {
  hw_info = make_ref<Info>();
  const world::Place place = world::my_place();
  for (int l = 0; l < world::kLevels; ++l) hw_info->set(world::kLevelNames[l], place.part[l] >= 0 ? "true" : "false");
  return {};
}

}  // namespace tutti::mpi
