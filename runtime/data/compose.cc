#include "data/compose.h"

#include <algorithm>

namespace tutti::data {

void Composer::bound(const TypeFacts& map, Count lowest, Count highest) {
  if (map.lb_set) {
    const Count lb = checked_.plus(lowest, map.lb);
    sum_.lb = sum_.lb_set ? std::min(sum_.lb, lb) : lb;
    sum_.lb_set = true;
  }
  if (map.ub_set) {
    const Count ub = checked_.plus(highest, map.ub);
    sum_.ub = sum_.ub_set ? std::max(sum_.ub, ub) : ub;
    sum_.ub_set = true;
  }
  if (map.size > 0) {
    const Count lb = checked_.plus(lowest, map.true_lb), ub = checked_.plus(highest, map.true_ub);
    sum_.true_lb = has_data_ ? std::min(sum_.true_lb, lb) : lb;
    sum_.true_ub = has_data_ ? std::max(sum_.true_ub, ub) : ub;
    const Count end = checked_.plus(highest, map.ub);
    end_ = has_data_ ? std::max(end_, end) : end;
    has_data_ = true;
  }
}

void Composer::add(const TypeFacts& map, Count count, Count stride, Count disp) {
  if (map.empty || count == 0 || checked_.overflow) return;
  const Count reach = checked_.times(count - 1, stride);
  const Count lowest = checked_.plus(disp, std::min<Count>(reach, 0));
  const Count highest = checked_.plus(disp, std::max<Count>(reach, 0));
  const Count size = checked_.times(map.size, count);
  if (map.size > 0) {
    mixed_ = mixed_ || map.element == BasicId::kNone || (has_data_ && sum_.element != map.element);
    sum_.element = map.element;
  }
  bound(map, lowest, highest);
  sum_.size = checked_.plus(sum_.size, size);
  sum_.elements = checked_.plus(sum_.elements, checked_.times(map.elements, count));
  sum_.align = std::max(sum_.align, map.align);
  sum_.empty = false;
  if (checked_.overflow) return;
  sum_.signature = join(sum_.signature, repeat(map.signature, count));
  auto place = [&](Joiner& into, const Placed& piece) {
    Placed all = repeated(piece, count, stride);
    all.disp += disp;  // within true_lb, which was checked
    into.add(std::move(all));
  };
  place(layout_, map.layout);
  if (!one_basic_) place(typed_, map.typed);
}

Result<TypeFacts> Composer::finish(bool padded) {
  if (mixed_) sum_.element = BasicId::kNone;
  if (!sum_.lb_set) sum_.lb = sum_.true_lb;
  if (!sum_.ub_set) {
    const Count over = checked_.minus(end_, sum_.lb) % sum_.align;
    sum_.ub = checked_.plus(end_, padded && over > 0 ? sum_.align - over : 0);
  }
  static_cast<void>(checked_.minus(sum_.ub, sum_.lb));
  static_cast<void>(checked_.minus(sum_.true_ub, sum_.true_lb));
  if (checked_.overflow)
    return FAIL(kErrCount, "the type would be too large: its size or its bounds exceed 2^63 - 1 bytes");
  sum_.layout = layout_.take();
  sum_.typed = one_basic_ ? sum_.layout : typed_.take();
  return std::move(sum_);
}

TypeFacts with_bounds(TypeFacts facts, Count lb, Count ub) {
  facts.basic = BasicId::kNone;
  facts.lb = lb;
  facts.ub = ub;
  facts.lb_set = facts.ub_set = true;
  facts.empty = false;
  return facts;
}

Ref<Datatype> make_type(TypeFacts facts, Contents contents) {
  contents.large =
      std::any_of(contents.ints.begin(), contents.ints.end(), [](Count v) { return v != static_cast<int>(v); });
  return make_ref<Datatype>(std::move(facts), std::move(contents), std::string(), false);
}

}  // namespace tutti::data
