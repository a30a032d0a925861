// Bodies of MPI_Type_get_envelope and MPI_Type_get_contents (MPI-5.0 section 5.1.13). The plain forms give counts and
// displacements as integers and addresses; for a type whose counts exceed an int only the _c forms answer, and give
// them as large counts.
#include <algorithm>

#include "api/body.gen.h"
#include "data/datatype.h"

namespace tutti::mpi {
namespace {

struct Split {
  std::vector<Count> ints, addresses, large_counts;
};

// Which of a large type's arguments are ints whatever the form: the ends of a subarray's list, all but the global sizes
// of a darray's.
bool always_int(const Contents& c, std::size_t i) {
  if (c.combiner == Combiner::kSubarray) return i == 0 || i + 1 == c.ints.size();
  if (c.combiner == Combiner::kDarray) return i < 3 || i >= 3 + static_cast<std::size_t>(c.ints[2]);
  return false;
}

Split split(const Contents& c) {
  if (!c.large) return {c.ints, c.addresses, {}};
  Split s;
  for (std::size_t i = 0; i < c.ints.size(); ++i) (always_int(c, i) ? s.ints : s.large_counts).push_back(c.ints[i]);
  s.large_counts.insert(s.large_counts.end(), c.addresses.begin(), c.addresses.end());
  return s;
}

Err require_small(const Datatype& type) {
  if (!type.contents().large) return {};
  return FAIL(kErrType, "datatype is %s with a count that exceeds an int; call the _c form", type.describe().c_str());
}

Err room(const char* name, Count max, std::size_t needed) {
  if (max >= static_cast<Count>(needed)) return {};
  return FAIL(kErrArg, "%s is %lld, but the type has %zu", name, static_cast<long long>(max), needed);
}

Err give(const Datatype& type, Count max_integers, Count max_addresses, Count max_large_counts, Count max_datatypes,
         int* integers, Count* addresses, Count* large_counts, std::span<Ref<Datatype>> datatypes) {
  const Contents& c = type.contents();
  if (c.combiner == Combiner::kNamed)
    return FAIL(kErrType, "datatype is %s, which is predefined and has no contents", type.describe().c_str());
  const Split s = split(c);
  TRY(room("max_integers", max_integers, s.ints.size()));
  TRY(room("max_addresses", max_addresses, s.addresses.size()));
  TRY(room("max_large_counts", max_large_counts, s.large_counts.size()));
  TRY(room("max_datatypes", max_datatypes, c.types.size()));
  std::transform(s.ints.begin(), s.ints.end(), integers, [](Count v) { return static_cast<int>(v); });
  std::copy(s.addresses.begin(), s.addresses.end(), addresses);
  std::copy(s.large_counts.begin(), s.large_counts.end(), large_counts);
  std::copy(c.types.begin(), c.types.end(), datatypes.begin());
  return {};
}

}  // namespace

Err type_get_envelope(Datatype& datatype, int* num_integers, int* num_addresses, int* num_datatypes, int* combiner) {
  TRY(require_small(datatype));
  const Contents& c = datatype.contents();
  *num_integers = static_cast<int>(c.ints.size());
  *num_addresses = static_cast<int>(c.addresses.size());
  *num_datatypes = static_cast<int>(c.types.size());
  *combiner = static_cast<int>(c.combiner);
  return {};
}

Err type_get_envelope_c(Datatype& datatype, Count* num_integers, Count* num_addresses, Count* num_large_counts,
                        Count* num_datatypes, int* combiner) {
  const Split s = split(datatype.contents());
  *num_integers = static_cast<Count>(s.ints.size());
  *num_addresses = static_cast<Count>(s.addresses.size());
  *num_large_counts = static_cast<Count>(s.large_counts.size());
  *num_datatypes = static_cast<Count>(datatype.contents().types.size());
  *combiner = static_cast<int>(datatype.contents().combiner);
  return {};
}

Err type_get_contents(Datatype& datatype, int max_integers, int max_addresses, int max_datatypes,
                      int* array_of_integers, Count* array_of_addresses, std::span<Ref<Datatype>> array_of_datatypes) {
  TRY(require_small(datatype));
  return give(datatype, max_integers, max_addresses, 0, max_datatypes, array_of_integers, array_of_addresses, nullptr,
              array_of_datatypes);
}

Err type_get_contents_c(Datatype& datatype, Count max_integers, Count max_addresses, Count max_large_counts,
                        Count max_datatypes, int* array_of_integers, Count* array_of_addresses,
                        Count* array_of_large_counts, std::span<Ref<Datatype>> array_of_datatypes) {
  return give(datatype, max_integers, max_addresses, max_large_counts, max_datatypes, array_of_integers,
              array_of_addresses, array_of_large_counts, array_of_datatypes);
}

}  // namespace tutti::mpi
