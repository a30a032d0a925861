#include "data/datatype.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/handle.h"
#include "data/layout.h"

namespace tutti {
namespace {

bool is_one_block(const TypeFacts& f) { return !f.layout.node || f.layout.node->kind == data::Node::Kind::kBlock; }

constexpr std::array<std::string_view, 17> kKinds = {"a predefined type",
                                                     "a duplicate",
                                                     "a contiguous type",
                                                     "a vector",
                                                     "an hvector",
                                                     "an indexed type",
                                                     "an hindexed type",
                                                     "an indexed block type",
                                                     "an hindexed block type",
                                                     "a struct",
                                                     "a subarray",
                                                     "a darray",
                                                     "a Fortran real type",
                                                     "a Fortran complex type",
                                                     "a Fortran integer type",
                                                     "a resized type",
                                                     "a pair type"};

}  // namespace

Datatype::Datatype(TypeFacts facts, Contents contents, std::string name, bool is_predefined)
    : Counted(Kind::kDatatype, is_predefined),
      facts_(std::move(facts)),
      contents_(std::move(contents)),
      name_(std::move(name)) {
  one_block_ = is_one_block(facts_);
  contiguous_ = one_block_ && (facts_.size == 0 || facts_.size == extent());
  committed_ = is_predefined;
  const Count step = extent() < 0 ? -(extent() + 1) : extent();
  most_ = std::numeric_limits<Count>::max() / std::max({Count{1}, facts_.size, step, true_extent()});
}

Datatype::~Datatype() = default;

std::string Datatype::describe() const {
  if (!name_.empty()) return name_;
  std::string text(kKinds[static_cast<std::size_t>(contents_.combiner) - static_cast<std::size_t>(Combiner::kNamed)]);
  if (contents_.types.empty() || contents_.combiner == Combiner::kStruct) return text;
  return text + " of " + contents_.types[0]->describe();
}

Err require_committed(const Datatype& type, std::string_view name) {
  if (type.committed()) return {};
  return FAIL(kErrType, "%.*s is %s, which was not committed (MPI_Type_commit)", int(name.size()), name.data(),
              type.describe().c_str());
}

Err no_such_type(const TypeArg& type, std::string_view name) {
  return no_such_handle(Kind::kDatatype, type.handle, type.is_null, name);
}

Err too_many(Count count, const Datatype& type, std::string_view name) {
  return FAIL(kErrCount, "%.*s is %lld, but at most %lld elements of %s stay below 2^63 bytes", int(name.size()),
              name.data(), static_cast<long long>(count), static_cast<long long>(type.most()), type.describe().c_str());
}

namespace data {

Count elements_in(const Datatype& type, Count bytes) {
  if (type.size() == 0) return bytes == 0 ? 0 : kUndefined;
  const Count whole = bytes / type.size(), rest = bytes % type.size();
  if (rest == 0) return whole * type.elements();
  const Count in_rest = elements_before(*type.facts().typed.node, rest);
  return in_rest < 0 ? kUndefined : whole * type.elements() + in_rest;
}

Count bytes_of(const Datatype& type, Count elements) {
  if (type.size() == 0) return 0;
  const Count whole = elements / type.elements(), rest = elements % type.elements();
  Count bytes = 0;
  if (__builtin_mul_overflow(whole, type.size(), &bytes)) return -1;
  return __builtin_add_overflow(bytes, bytes_before(*type.facts().typed.node, rest), &bytes) ? -1 : bytes;
}

}  // namespace data
}  // namespace tutti
