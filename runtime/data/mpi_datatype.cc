// Bodies of MPI_Type_*, MPI_Get_count and kin (MPI-5.0 chapter 5). MPI_Type_dup and MPI_Type_free run attribute
// functions and so stand in comm/mpi_attr.cc.
#include <vector>

#include "api/body.gen.h"
#include "data/datatype.h"

namespace tutti::mpi {

Err type_contiguous(Count count, Datatype& oldtype, Ref<Datatype>& newtype) {
  newtype = TRY(data::make_contiguous(count, oldtype));
  return {};
}

Err type_vector(Count count, Count blocklength, Count stride, Datatype& oldtype, Ref<Datatype>& newtype) {
  newtype = TRY(data::make_vector(count, blocklength, stride, oldtype));
  return {};
}

Err type_create_hvector(Count count, Count blocklength, Count stride, Datatype& oldtype, Ref<Datatype>& newtype) {
  newtype = TRY(data::make_hvector(count, blocklength, stride, oldtype));
  return {};
}

Err type_indexed(Count count, Ints array_of_blocklengths, Ints array_of_displacements, Datatype& oldtype,
                 Ref<Datatype>& newtype) {
  newtype = TRY(data::make_indexed(count, array_of_blocklengths, array_of_displacements, oldtype));
  return {};
}

Err type_create_hindexed(Count count, Ints array_of_blocklengths, Ints array_of_displacements, Datatype& oldtype,
                         Ref<Datatype>& newtype) {
  newtype = TRY(data::make_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype));
  return {};
}

Err type_create_indexed_block(Count count, Count blocklength, Ints array_of_displacements, Datatype& oldtype,
                              Ref<Datatype>& newtype) {
  newtype = TRY(data::make_indexed_block(count, blocklength, array_of_displacements, oldtype));
  return {};
}

Err type_create_hindexed_block(Count count, Count blocklength, Ints array_of_displacements, Datatype& oldtype,
                               Ref<Datatype>& newtype) {
  newtype = TRY(data::make_hindexed_block(count, blocklength, array_of_displacements, oldtype));
  return {};
}

Err type_create_struct(Count count, Ints array_of_blocklengths, Ints array_of_displacements,
                       const Types& array_of_types, Ref<Datatype>& newtype) {
  std::vector<Datatype*> types;
  for (Count i = 0; i < count; ++i) {
    const TypeArg type = array_of_types[i];
    if (!type) return no_such_type(type, text_of("array_of_types[%lld]", static_cast<long long>(i)));
    types.push_back(type);
  }
  newtype = TRY(data::make_struct(count, array_of_blocklengths, array_of_displacements, types));
  return {};
}

Err type_create_subarray(int ndims, Ints array_of_sizes, Ints array_of_subsizes, Ints array_of_starts, int order,
                         Datatype& oldtype, Ref<Datatype>& newtype) {
  newtype = TRY(data::make_subarray(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, oldtype));
  return {};
}

Err type_create_darray(int size, int rank, int ndims, Ints array_of_gsizes, const int* array_of_distribs,
                       const int* array_of_dargs, const int* array_of_psizes, int order, Datatype& oldtype,
                       Ref<Datatype>& newtype) {
  newtype = TRY(data::make_darray({.size = size,
                                   .rank = rank,
                                   .ndims = ndims,
                                   .gsizes = array_of_gsizes,
                                   .distribs = array_of_distribs,
                                   .dargs = array_of_dargs,
                                   .psizes = array_of_psizes,
                                   .order = order},
                                  oldtype));
  return {};
}

Err type_create_resized(Datatype& oldtype, Count lb, Count extent, Ref<Datatype>& newtype) {
  newtype = TRY(data::make_resized(oldtype, lb, extent));
  return {};
}

Err type_create_f90_real(int p, int r, Ref<Datatype>& newtype) {
  newtype = TRY(data::f90_real(p, r));
  return {};
}

Err type_create_f90_complex(int p, int r, Ref<Datatype>& newtype) {
  newtype = TRY(data::f90_complex(p, r));
  return {};
}

Err type_create_f90_integer(int r, Ref<Datatype>& newtype) {
  newtype = TRY(data::f90_integer(r));
  return {};
}

Err type_match_size(int typeclass, int size, Ref<Datatype>& datatype) {
  Datatype* found = TRY(data::match_size(typeclass, size));
  datatype = Ref<Datatype>(found);
  return {};
}

Err type_get_value_index(Datatype& value_type, Datatype& index_type, Ref<Datatype>& pair_type) {
  pair_type = data::value_index(value_type, index_type);
  return {};
}

Err type_commit(Ref<Datatype>& datatype) {
  if (!datatype) return FAIL(kErrType, "datatype is MPI_DATATYPE_NULL");
  datatype->commit();
  return {};
}

Err type_size(Datatype& datatype, Out size) {
  size.set(datatype.size());
  return {};
}

Err type_size_x(Datatype& datatype, Count* size) { return type_size(datatype, Out(size)); }

Err type_get_extent(Datatype& datatype, Out lb, Out extent) {
  lb.set(datatype.lb());
  extent.set(datatype.extent());
  return {};
}

Err type_get_extent_x(Datatype& datatype, Count* lb, Count* extent) {
  return type_get_extent(datatype, Out(lb), Out(extent));
}

Err type_get_true_extent(Datatype& datatype, Out true_lb, Out true_extent) {
  true_lb.set(datatype.true_lb());
  true_extent.set(datatype.true_extent());
  return {};
}

Err type_get_true_extent_x(Datatype& datatype, Count* true_lb, Count* true_extent) {
  return type_get_true_extent(datatype, Out(true_lb), Out(true_extent));
}

Err type_get_name(Datatype* datatype, Text type_name) {
  type_name.set(datatype ? std::string_view(datatype->name()) : "MPI_DATATYPE_NULL");
  return {};
}

Err type_set_name(Datatype& datatype, std::string_view type_name) {
  datatype.set_name(process.profile ? type_name.substr(0, process.profile->max_object_name - 1) : type_name);
  return {};
}

Err get_address(const void* location, Count* address) {
  *address = reinterpret_cast<Count>(location);
  return {};
}

Count aint_add(Count base, Count disp) {
  return static_cast<Count>(static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(disp));
}
Count aint_diff(Count addr1, Count addr2) {
  return static_cast<Count>(static_cast<std::uint64_t>(addr1) - static_cast<std::uint64_t>(addr2));
}

// Whole elements, or MPI_UNDEFINED (MPI-5.0 section 3.2.5).
Err get_count(const Status& status, Datatype& datatype, Out count) {
  const Count bytes = status.bytes(), size = datatype.size();
  if (size == 0)
    count.set(bytes == 0 ? 0 : kUndefined);
  else
    count.set(bytes % size == 0 ? bytes / size : kUndefined);
  return {};
}

Err get_elements(const Status& status, Datatype& datatype, Out count) {
  count.set(data::elements_in(datatype, status.bytes()));
  return {};
}

Err get_elements_x(const Status& status, Datatype& datatype, Count* count) {
  return get_elements(status, datatype, Out(count));
}

Err status_set_elements(Status* status, Datatype& datatype, Count count) {
  if (count < 0) return FAIL(kErrCount, "count is %lld, but must be 0 or more", static_cast<long long>(count));
  const Count bytes = data::bytes_of(datatype, count);
  if (bytes < 0)
    return FAIL(kErrCount, "count is %lld, but so many elements of %s exceed 2^63 - 1 bytes", static_cast<long long>(count),
                datatype.describe().c_str());
  if (status) status->set_bytes(bytes);
  return {};
}

Err status_set_elements_x(Status* status, Datatype& datatype, Count count) {
  return status_set_elements(status, datatype, count);
}

}  // namespace tutti::mpi
