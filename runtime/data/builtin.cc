// The predefined types as objects. They exist from the moment the library is loaded and are never destroyed, because
// handles may be used until the very end of the process.
#include <array>

#include "base/predefined.h"
#include "data/compose.h"

namespace tutti {
namespace {

using data::Placed;

// What a signature compares: the three integer classes of one size are one.
Signature element_signature(const BasicType& row) {
  const TypeClass c = row.type_class;
  if (c == TypeClass::kByte || c == TypeClass::kPacked) return signature_wild();
  const bool integer = c == TypeClass::kFortranInteger || c == TypeClass::kMulti;
  return signature_of(static_cast<int>(integer ? TypeClass::kSigned : c), row.size);
}

TypeFacts plain_facts(const BasicType& row) {
  TypeFacts f{.size = row.size, .elements = 1, .ub = row.size, .true_ub = row.size, .align = row.align, .empty = false};
  f.layout = f.typed = data::block(0, row.size, 1, row.id);
  f.signature = element_signature(row);
  return f;
}

TypeFacts marker_facts(const BasicType& row) {
  return {.lb_set = row.id == BasicId::kLb, .ub_set = row.id == BasicId::kUb, .empty = false};
}

TypeFacts pair_facts(const BasicType& row) {
  const BasicType &first = basic_type(row.first), &second = basic_type(row.second);
  const Count at = pair_offset(row);
  const Count end = at + second.size, extent = (end + row.align - 1) / row.align * row.align;
  TypeFacts f{.size = row.size, .elements = 2, .ub = extent, .true_ub = end, .align = row.align, .empty = false};
  for (bool split : {false, true}) {
    data::Joiner joiner(split);
    joiner.add(data::block(0, first.size, 1, first.id));
    joiner.add(data::block(at, second.size, 1, second.id));
    (split ? f.typed : f.layout) = joiner.take();
  }
  if (first.id == second.id) f.typed = f.layout;
  f.signature = join(element_signature(first), element_signature(second));
  return f;
}

struct Types {
  std::array<Datatype*, kBasicTypes> all;

  Types() {
    static_assert(kBasicTypes <= kMaxTypes);
    for (int i = 0; i < kBasicTypes; ++i) {
      const BasicType& row = basic_type(static_cast<BasicId>(i));
      TypeFacts facts = row.type_class == TypeClass::kPair ? pair_facts(row)
                        : row.size == 0                    ? marker_facts(row)
                                                           : plain_facts(row);
      facts.basic = facts.element = row.id;
      Datatype* type = new Datatype(std::move(facts), {}, std::string(row.name), true);
      all[static_cast<std::size_t>(i)] = Ref<Datatype>(type).release();
      set_predefined(kFirstType + i, type);
    }
  }
};

const Types& types() {
  static const Types made;
  return made;
}

[[maybe_unused]] const Types& at_load = types();

}  // namespace

Datatype& predefined_type(BasicId id) { return *types().all[static_cast<std::size_t>(id)]; }

std::span<Datatype* const> predefined_types() { return types().all; }

}  // namespace tutti
