// The constructors of MPI-5.0 section 5.1.2 and 5.1.7; arrays are in derive_array.cc.
#include "data/compose.h"

namespace tutti::data {
namespace {

Err check_count(Count count) {
  if (count < 0) return FAIL(kErrCount, "count is %lld, but must be 0 or more", static_cast<long long>(count));
  return {};
}

Err check_length(Count length) {
  if (length < 0) return FAIL(kErrArg, "blocklength is %lld, but must be 0 or more", static_cast<long long>(length));
  return {};
}

Err check_lengths(Count count, Ints lengths) {
  for (Count i = 0; i < count; ++i)
    if (lengths[i] < 0)
      return FAIL(kErrArg, "array_of_blocklengths[%lld] is %lld, but must be 0 or more", static_cast<long long>(i),
                  static_cast<long long>(lengths[i]));
  return {};
}

Result<Count> scaled(Count n, const Datatype& old) {
  Checked checked;
  const Count bytes = checked.times(n, old.extent());
  if (checked.overflow)
    return FAIL(kErrCount, "%lld extents of %s exceed 2^63 - 1 bytes", static_cast<long long>(n),
                old.describe().c_str());
  return bytes;
}

void append(std::vector<Count>& to, Ints values, Count count) {
  for (Count i = 0; i < count; ++i) to.push_back(values[i]);
}

std::vector<Ref<Datatype>> types_of(Datatype& old) { return {Ref<Datatype>(&old)}; }

Result<TypeFacts> strided(Count count, Count blocklength, Count stride_bytes, const Datatype& old) {
  const TypeFacts inner = TRY(compose(old.facts(), blocklength, old.extent(), 0));
  return compose(inner, count, stride_bytes, 0);
}

// Blocks of `old`: unit is the extent for displacements in elements, 1 for those in bytes. `lengths` has one entry for
// all blocks or one for each.
Result<TypeFacts> scattered(Count count, Ints lengths, bool one_length, Ints displacements, Count unit,
                            const Datatype& old) {
  Composer all(homogeneous(old.facts()));
  all.reserve(count);
  Checked checked;
  for (Count i = 0; i < count; ++i)
    all.add(old.facts(), lengths[one_length ? 0 : i], old.extent(), checked.times(displacements[i], unit));
  if (checked.overflow)
    return FAIL(kErrCount, "a displacement times the extent of %s exceeds 2^63 - 1 bytes", old.describe().c_str());
  return all.finish();
}

}  // namespace

Result<Ref<Datatype>> make_contiguous(Count count, Datatype& old) {
  TRY(check_count(count));
  TypeFacts facts = TRY(compose(old.facts(), count, old.extent(), 0));
  return make_type(std::move(facts), {.combiner = Combiner::kContiguous, .ints = {count}, .types = types_of(old)});
}

Result<Ref<Datatype>> make_vector(Count count, Count blocklength, Count stride, Datatype& old) {
  TRY(check_count(count));
  TRY(check_length(blocklength));
  TypeFacts facts = TRY(strided(count, blocklength, TRY(scaled(stride, old)), old));
  return make_type(std::move(facts),
                   {.combiner = Combiner::kVector, .ints = {count, blocklength, stride}, .types = types_of(old)});
}

Result<Ref<Datatype>> make_hvector(Count count, Count blocklength, Count stride_bytes, Datatype& old) {
  TRY(check_count(count));
  TRY(check_length(blocklength));
  TypeFacts facts = TRY(strided(count, blocklength, stride_bytes, old));
  return make_type(std::move(facts), {.combiner = Combiner::kHvector,
                                      .ints = {count, blocklength},
                                      .addresses = {stride_bytes},
                                      .types = types_of(old)});
}

Result<Ref<Datatype>> make_indexed(Count count, Ints blocklengths, Ints displacements, Datatype& old) {
  TRY(check_count(count));
  TRY(check_lengths(count, blocklengths));
  TypeFacts facts = TRY(scattered(count, blocklengths, false, displacements, old.extent(), old));
  Contents contents{.combiner = Combiner::kIndexed, .ints = {count}, .types = types_of(old)};
  append(contents.ints, blocklengths, count);
  append(contents.ints, displacements, count);
  return make_type(std::move(facts), std::move(contents));
}

Result<Ref<Datatype>> make_hindexed(Count count, Ints blocklengths, Ints displacements_bytes, Datatype& old) {
  TRY(check_count(count));
  TRY(check_lengths(count, blocklengths));
  TypeFacts facts = TRY(scattered(count, blocklengths, false, displacements_bytes, 1, old));
  Contents contents{.combiner = Combiner::kHindexed, .ints = {count}, .types = types_of(old)};
  append(contents.ints, blocklengths, count);
  append(contents.addresses, displacements_bytes, count);
  return make_type(std::move(facts), std::move(contents));
}

Result<Ref<Datatype>> make_indexed_block(Count count, Count blocklength, Ints displacements, Datatype& old) {
  TRY(check_count(count));
  TRY(check_length(blocklength));
  TypeFacts facts = TRY(scattered(count, Ints(&blocklength), true, displacements, old.extent(), old));
  Contents contents{.combiner = Combiner::kIndexedBlock, .ints = {count, blocklength}, .types = types_of(old)};
  append(contents.ints, displacements, count);
  return make_type(std::move(facts), std::move(contents));
}

Result<Ref<Datatype>> make_hindexed_block(Count count, Count blocklength, Ints displacements_bytes, Datatype& old) {
  TRY(check_count(count));
  TRY(check_length(blocklength));
  TypeFacts facts = TRY(scattered(count, Ints(&blocklength), true, displacements_bytes, 1, old));
  Contents contents{.combiner = Combiner::kHindexedBlock, .ints = {count, blocklength}, .types = types_of(old)};
  append(contents.addresses, displacements_bytes, count);
  return make_type(std::move(facts), std::move(contents));
}

Result<Ref<Datatype>> make_struct(Count count, Ints blocklengths, Ints displacements_bytes,
                                  std::span<Datatype* const> types) {
  TRY(check_count(count));
  TRY(check_lengths(count, blocklengths));
  bool one_basic = true;
  BasicId element = BasicId::kNone;
  Contents contents{.combiner = Combiner::kStruct, .ints = {count}};
  for (Datatype* type : types) {
    contents.types.emplace_back(type);
    if (type->size() == 0) continue;
    if (element == BasicId::kNone) element = type->element();
    one_basic = one_basic && homogeneous(type->facts()) && element == type->element();
  }
  Composer all(one_basic);
  all.reserve(count);
  for (Count i = 0; i < count; ++i) {
    const Datatype& type = *types[static_cast<std::size_t>(i)];
    all.add(type.facts(), blocklengths[i], type.extent(), displacements_bytes[i]);
  }
  TypeFacts facts = TRY(all.finish(true));
  append(contents.ints, blocklengths, count);
  append(contents.addresses, displacements_bytes, count);
  return make_type(std::move(facts), std::move(contents));
}

Result<Ref<Datatype>> make_resized(Datatype& old, Count lb, Count extent) {
  Checked checked;
  const Count ub = checked.plus(lb, extent);
  if (checked.overflow) return FAIL(kErrArg, "lb + extent exceeds 2^63 - 1 bytes");
  return make_type(with_bounds(old.facts(), lb, ub),
                   {.combiner = Combiner::kResized, .addresses = {lb, extent}, .types = types_of(old)});
}

Result<Ref<Datatype>> make_dup(Datatype& old) {
  TypeFacts facts = old.facts();
  facts.basic = BasicId::kNone;
  Ref<Datatype> type = make_type(std::move(facts), {.combiner = Combiner::kDup, .types = types_of(old)});
  if (old.committed()) type->commit();
  return type;
}

}  // namespace tutti::data
