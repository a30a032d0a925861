// Types chosen by precision and range, and by class and size (MPI-5.0 sections 19.1.9 and 5.1.13 for their envelope).
#include <cfloat>
#include <map>
#include <tuple>

#include "data/compose.h"

namespace tutti::data {
namespace {

// What Fortran's PRECISION and RANGE say of a real kind; the first that suffices is taken.
struct RealKind {
  int precision, range;
  BasicId real, complex;
};
constexpr RealKind kReals[] = {
    {FLT_DIG, -FLT_MIN_10_EXP, BasicId::kReal4, BasicId::kComplex8},
    {DBL_DIG, -DBL_MIN_10_EXP, BasicId::kReal8, BasicId::kComplex16},
    {LDBL_DIG, -LDBL_MIN_10_EXP, BasicId::kLongDouble, BasicId::kCLongDoubleComplex},
    {33, 4931, BasicId::kReal16, BasicId::kComplex32},
};

struct IntegerKind {
  int range;
  BasicId id;
};
constexpr IntegerKind kIntegers[] = {
    {2, BasicId::kInteger1},  {4, BasicId::kInteger2},   {9, BasicId::kInteger4},
    {18, BasicId::kInteger8}, {38, BasicId::kInteger16},
};

// The program may not free these types, so each is made once and stays: they are predefined in all but name.
Ref<Datatype> unnamed(Combiner combiner, int p, int r, BasicId id) {
  static auto& made = *new std::map<std::tuple<Combiner, int, int>, Ref<Datatype>>;
  Ref<Datatype>& type = made[{combiner, p, r}];
  if (!type) {
    Contents contents{.combiner = combiner, .ints = {p, r}};
    if (combiner == Combiner::kF90Integer) contents.ints = {r};
    type = make_type(predefined_type(id).facts(), std::move(contents));
    type->commit();
  }
  return type;
}

Result<Ref<Datatype>> real_kind(Combiner combiner, int p, int r) {
  if (p == kUndefined && r == kUndefined) return FAIL(kErrArg, "p and r are both MPI_UNDEFINED, but one must be given");
  if ((p != kUndefined && p < 0) || (r != kUndefined && r < 0))
    return FAIL(kErrArg, "p is %d and r is %d, but both must be MPI_UNDEFINED, 0 or more", p, r);
  for (const RealKind& kind : kReals)
    if ((p == kUndefined || p <= kind.precision) && (r == kUndefined || r <= kind.range))
      return unnamed(combiner, p, r, combiner == Combiner::kF90Real ? kind.real : kind.complex);
  return FAIL(kErrArg, "p is %d and r is %d, but the largest real kind has precision 33 and range 4931", p, r);
}

}  // namespace

Result<Ref<Datatype>> f90_real(int p, int r) { return real_kind(Combiner::kF90Real, p, r); }
Result<Ref<Datatype>> f90_complex(int p, int r) { return real_kind(Combiner::kF90Complex, p, r); }

Result<Ref<Datatype>> f90_integer(int r) {
  if (r < 0) return FAIL(kErrArg, "r is %d, but must be 0 or more", r);
  for (const IntegerKind& kind : kIntegers)
    if (r <= kind.range) return unnamed(Combiner::kF90Integer, 0, r, kind.id);
  return FAIL(kErrArg, "r is %d, but the largest integer kind has range 38", r);
}

Result<Datatype*> match_size(int type_class, int size) {
  constexpr BasicId kCandidates[] = {
      BasicId::kInteger1, BasicId::kInteger2,  BasicId::kInteger4,  BasicId::kInteger8, BasicId::kInteger16,
      BasicId::kReal2,    BasicId::kReal4,     BasicId::kReal8,     BasicId::kReal16,   BasicId::kComplex4,
      BasicId::kComplex8, BasicId::kComplex16, BasicId::kComplex32,
  };
  TypeClass wanted = TypeClass::kNone;
  if (type_class == kTypeclassInteger) wanted = TypeClass::kFortranInteger;
  if (type_class == kTypeclassReal) wanted = TypeClass::kFloat;
  if (type_class == kTypeclassComplex) wanted = TypeClass::kComplex;
  if (wanted == TypeClass::kNone)
    return FAIL(kErrArg, "typeclass is %d, but must be MPI_TYPECLASS_INTEGER, _REAL or _COMPLEX", type_class);
  for (BasicId id : kCandidates)
    if (basic_type(id).type_class == wanted && basic_type(id).size == size) return &predefined_type(id);
  return FAIL(kErrArg, "size is %d, but no predefined type of this class has as many bytes", size);
}

Ref<Datatype> value_index(const Datatype& value, const Datatype& index) {
  for (Datatype* type : predefined_types()) {
    const BasicType& row = basic_type(type->basic());
    if (row.type_class == TypeClass::kPair && row.first == value.basic() && row.second == index.basic())
      return Ref<Datatype>(type);
  }
  return {};
}

}  // namespace tutti::data
