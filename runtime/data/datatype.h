// Datatypes: what a buffer's elements are and where they lie (MPI-5.0 chapter 5). A Datatype is immutable after its
// creation but for commit, name and attributes. Owned by Ref; a derived type keeps the types that it was made from.
// The process lock guards it, as all MPI objects. All lengths and displacements are bytes unless a name says otherwise.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/err.h"
#include "base/ref.h"
#include "base/status.h"
#include "base/views.h"
#include "data/basic.h"
#include "data/signature.h"

namespace tutti {

namespace data {
struct Node;
using NodePtr = std::shared_ptr<const Node>;
// A layout and where it starts, relative to the buffer's address. A null node holds no data. See data/layout.h.
struct Placed {
  Count disp = 0;
  NodePtr node;
};
}  // namespace data

// How a type was made, with the standard ABI's values (MPI-5.0 section 5.1.13).
enum class Combiner : int {
  kNamed = 101, kDup, kContiguous, kVector, kHvector, kIndexed, kHindexed, kIndexedBlock, kHindexedBlock, kStruct,
  kSubarray, kDarray, kF90Real, kF90Complex, kF90Integer, kResized, kValueIndex,
};

// The arguments of the constructor. `ints` then `addresses`, in the order of MPI_Type_get_contents; when `large`
// (some count exceeds an int) only MPI_Type_get_contents_c can give them back.
struct Contents {
  Combiner combiner = Combiner::kNamed;
  bool large = false;
  std::vector<Count> ints;
  std::vector<Count> addresses;
  std::vector<Ref<Datatype>> types;
};

// All that is known about a type; made by data/derive.cc and data/builtin.cc.
struct TypeFacts {
  BasicId basic = BasicId::kNone;      // predefined (and f90) types: which; derived ones: kNone
  BasicId element = BasicId::kNone;    // the one basic type all elements have, kNone for a mixture or no data
  Count size = 0;                      // bytes of data in one element
  Count elements = 0;                  // basic elements in one element; a pair counts as two
  Count lb = 0, ub = 0, true_lb = 0, true_ub = 0;
  int align = 1;
  bool lb_set = false, ub_set = false; // by MPI_Type_create_resized, subarray, darray, or a marker in a struct
  bool empty = true;                   // the type map has no entry, not even a bound
  Signature signature;
  data::Placed layout;                 // adjacent blocks merged
  data::Placed typed;                  // merged only within one basic type; layout's own node if there is just one
};

class Datatype : public Counted {
 public:
  Datatype(TypeFacts facts, Contents contents, std::string name, bool is_predefined);
  ~Datatype() override;

  Count size() const { return facts_.size; }
  Count lb() const { return facts_.lb; }
  Count ub() const { return facts_.ub; }
  Count extent() const { return facts_.ub - facts_.lb; }
  Count true_lb() const { return facts_.true_lb; }
  Count true_ub() const { return facts_.true_ub; }
  Count true_extent() const { return facts_.true_ub - facts_.true_lb; }
  int align() const { return facts_.align; }

  // Whether any number of elements is one block of count * size() bytes that starts at buffer + true_lb().
  bool contiguous() const { return contiguous_; }
  // The same for this number of elements: one element may be a block even when the next one is not adjacent.
  bool contiguous(Count count) const { return contiguous_ || (one_block_ && count <= 1); }

  // Which predefined type this is (also for the unnamed f90 types), kNone for derived ones.
  BasicId basic() const { return facts_.basic; }
  // The basic type that all elements have (MPI_Accumulate allows derived types of one basic type); kNone if mixed.
  BasicId element() const { return facts_.element; }
  Count elements() const { return facts_.elements; }

  // The largest number of elements whose data and whose span stay below 2^63 bytes.
  Count most() const { return most_; }

  bool committed() const { return committed_; }
  void commit() { committed_ = true; }

  // Hash over the basic types of `count` elements; kWildSignature when one of them is BYTE or PACKED. O(log count).
  std::uint64_t signature(Count count) const { return data_hash(facts_.signature, count); }

  const std::string& name() const { return name_; }
  void set_name(std::string_view name) { name_ = name; }
  // For error texts: the name, or "a vector of MPI_DOUBLE" for an unnamed type.
  std::string describe() const;

  const TypeFacts& facts() const { return facts_; }
  const Contents& contents() const { return contents_; }

  std::unique_ptr<Attachment> attributes;   // owned here, used by comm/attr only

 private:
  TypeFacts facts_;
  Contents contents_;
  std::string name_;
  Count most_;
  bool contiguous_, one_block_, committed_;
};

// Predefined types live as long as the process. The span is indexed by BasicId.
Datatype& predefined_type(BasicId id);
std::span<Datatype* const> predefined_types();

// MPI_ERR_TYPE unless the type may be used in communication (MPI-5.0 section 5.1.9). name: of the argument, for texts.
Err require_committed(const Datatype& type, std::string_view name);
// MPI_ERR_TYPE for a handle that names no type.
Err no_such_type(const TypeArg& type, std::string_view name);
// MPI_ERR_COUNT for more elements than most().
Err too_many(Count count, const Datatype& type, std::string_view name);

namespace data {

// Constructors (MPI-5.0 section 5.1.2 to 5.1.7). The result is not committed. Counts are elements of `old`;
// displacements and strides are multiples of its extent, in h* forms and struct bytes. A negative length is MPI_ERR_ARG
// or MPI_ERR_COUNT, a type that exceeds 64-bit addresses MPI_ERR_COUNT.
Result<Ref<Datatype>> make_contiguous(Count count, Datatype& old);
Result<Ref<Datatype>> make_vector(Count count, Count blocklength, Count stride, Datatype& old);
Result<Ref<Datatype>> make_hvector(Count count, Count blocklength, Count stride_bytes, Datatype& old);
Result<Ref<Datatype>> make_indexed(Count count, Ints blocklengths, Ints displacements, Datatype& old);
Result<Ref<Datatype>> make_hindexed(Count count, Ints blocklengths, Ints displacements_bytes, Datatype& old);
Result<Ref<Datatype>> make_indexed_block(Count count, Count blocklength, Ints displacements, Datatype& old);
Result<Ref<Datatype>> make_hindexed_block(Count count, Count blocklength, Ints displacements_bytes, Datatype& old);
Result<Ref<Datatype>> make_struct(Count count, Ints blocklengths, Ints displacements_bytes,
                                  std::span<Datatype* const> types);
Result<Ref<Datatype>> make_resized(Datatype& old, Count lb, Count extent);
Result<Ref<Datatype>> make_dup(Datatype& old);

// Order and distributions with the standard ABI's values.
inline constexpr int kOrderC = 12, kOrderFortran = 15;
inline constexpr int kDistributeNone = 16, kDistributeBlock = 17, kDistributeCyclic = 18, kDistributeDfltDarg = 19;
Result<Ref<Datatype>> make_subarray(int ndims, Ints sizes, Ints subsizes, Ints starts, int order, Datatype& old);
struct DarrayArgs {
  int size, rank, ndims;
  Ints gsizes, distribs, dargs, psizes;
  int order;
};
Result<Ref<Datatype>> make_darray(const DarrayArgs& args, Datatype& old);

// The unnamed predefined types of Fortran kinds (MPI-5.0 section 19.1.9); p or r may be kUndefined. The same arguments
// give the same object.
Result<Ref<Datatype>> f90_real(int p, int r);
Result<Ref<Datatype>> f90_complex(int p, int r);
Result<Ref<Datatype>> f90_integer(int r);

// The predefined Fortran type of a class (the values below) and size in bytes (MPI_Type_match_size); MPI_ERR_ARG if
// there is none.
inline constexpr int kTypeclassInteger = 192, kTypeclassReal = 193, kTypeclassComplex = 194;
Result<Datatype*> match_size(int type_class, int size);

// The named pair type {value, index} (MPI_Type_get_value_index); empty if there is none.
Ref<Datatype> value_index(const Datatype& value, const Datatype& index);

// Basic elements in the first `bytes` of a run of elements; kUndefined when they end inside one (MPI_Get_elements).
Count elements_in(const Datatype& type, Count bytes);
// Bytes that the first `elements` basic elements take; the inverse (MPI_Status_set_elements). -1 beyond 63 bits.
Count bytes_of(const Datatype& type, Count elements);

}  // namespace data
}  // namespace tutti
