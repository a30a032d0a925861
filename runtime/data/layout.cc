#include "data/layout.h"

#include <algorithm>

namespace tutti::data {
namespace {

std::shared_ptr<Node> node(Node::Kind kind, BasicId basic, Count size, Count elements) {
  auto made = std::make_shared<Node>();
  made->kind = kind;
  made->basic = basic;
  made->size = size;
  made->elements = elements;
  return made;
}

// Bytes of one basic element; the two halves of a pair of equal types count by themselves.
Count element_bytes(const Node& block) { return block.size / block.elements; }

}  // namespace

Count Node::entry_of(Count at) const {
  if (even > 0) return at / even;
  return std::upper_bound(starts.begin(), starts.end() - 1, at) - starts.begin() - 1;
}

Placed block(Count disp, Count bytes, Count elements, BasicId basic) {
  if (bytes == 0) return {};
  return {disp, node(Node::Kind::kBlock, basic, bytes, elements)};
}

Placed repeated(const Placed& one, Count count, Count stride) {
  if (!one.node || count == 0) return {};
  if (count == 1) return one;
  const Node& n = *one.node;
  if (n.kind == Node::Kind::kBlock && n.size == stride)
    return block(one.disp, n.size * count, n.elements * count, n.basic);
  auto loop = node(Node::Kind::kLoop, n.basic, n.size * count, n.elements * count);
  const bool continues = n.kind == Node::Kind::kLoop && stride == n.stride * n.count;
  loop->count = continues ? n.count * count : count;
  loop->stride = continues ? n.stride : stride;
  loop->child = continues ? n.child : one.node;
  return {one.disp, loop};
}

void Joiner::reserve(Count entries) { entries_.reserve(static_cast<std::size_t>(entries)); }

void Joiner::add(Placed entry) {
  if (!entry.node) return;
  const Node& n = *entry.node;
  const bool is_block = n.kind == Node::Kind::kBlock;
  if (is_block && !entries_.empty()) {
    Entry& last = entries_.back();
    const bool same = last.basic == n.basic && n.basic != BasicId::kNone;
    if (!last.node && last.disp + last.bytes == entry.disp && (same || !split_)) {
      last.bytes += n.size;
      last.elements += n.elements;
      if (!same) last.basic = BasicId::kNone;
      return;
    }
  }
  entries_.push_back({entry.disp, n.size, n.elements, n.basic, is_block ? nullptr : std::move(entry.node)});
}

Placed Joiner::evenly(Count count, Count stride) const {
  const Entry& first = entries_[0];
  Placed one =
      first.node ? Placed{first.disp, first.node} : block(first.disp, first.bytes, first.elements, first.basic);
  return repeated(one, count, stride);
}

Placed Joiner::take() {
  if (entries_.empty()) return {};
  const auto count = static_cast<Count>(entries_.size());
  if (count == 1) return evenly(1, 0);
  const Entry& first = entries_[0];
  const Count stride = entries_[1].disp - first.disp;
  bool blocks = true, one_basic = true, even = true, spaced = true, one_node = true;
  for (Count i = 0; i < count; ++i) {
    const Entry& e = entries_[static_cast<std::size_t>(i)];
    blocks = blocks && !e.node;
    one_basic = one_basic && e.basic == first.basic;
    even = even && e.bytes == first.bytes;
    one_node = one_node && e.node == first.node && e.elements == first.elements;
    spaced = spaced && (i == 0 || e.disp - entries_[static_cast<std::size_t>(i - 1)].disp == stride);
  }
  if (even && spaced && one_node && one_basic) return evenly(count, stride);

  const bool as_blocks = blocks && (one_basic || !split_);
  auto list =
      node(as_blocks ? Node::Kind::kBlocks : Node::Kind::kParts, one_basic ? first.basic : BasicId::kNone, 0, 0);
  list->even = even ? first.bytes : 0;
  list->disps.reserve(entries_.size());
  list->starts.reserve(entries_.size() + 1);
  for (Entry& e : entries_) {
    list->disps.push_back(e.disp);
    list->starts.push_back(list->size);
    list->size += e.bytes;
    list->elements += e.elements;
    if (!as_blocks) list->parts.push_back(e.node ? std::move(e.node) : block(0, e.bytes, e.elements, e.basic).node);
  }
  list->starts.push_back(list->size);
  return {0, list};
}

Count elements_before(const Node& node, Count bytes) {
  if (bytes >= node.size) return node.elements;
  switch (node.kind) {
    case Node::Kind::kBlock:
    case Node::Kind::kBlocks: return bytes % element_bytes(node) == 0 ? bytes / element_bytes(node) : -1;
    case Node::Kind::kLoop: {
      const Count whole = bytes / node.child->size, rest = bytes % node.child->size;
      const Count in_rest = rest ? elements_before(*node.child, rest) : 0;
      return in_rest < 0 ? -1 : whole * node.child->elements + in_rest;
    }
    case Node::Kind::kParts: break;
  }
  const Count entry = node.entry_of(bytes);
  Count before = 0;
  for (Count i = 0; i < entry; ++i) before += node.parts[static_cast<std::size_t>(i)]->elements;
  const Count rest = bytes - node.starts[static_cast<std::size_t>(entry)];
  const Count in_rest = rest ? elements_before(*node.parts[static_cast<std::size_t>(entry)], rest) : 0;
  return in_rest < 0 ? -1 : before + in_rest;
}

Count bytes_before(const Node& node, Count elements) {
  if (elements >= node.elements) return node.size;
  if (node.kind == Node::Kind::kLoop) {
    const Count whole = elements / node.child->elements;
    return whole * node.child->size + bytes_before(*node.child, elements - whole * node.child->elements);
  }
  if (node.kind != Node::Kind::kParts) return elements * element_bytes(node);
  Count bytes = 0;
  for (const NodePtr& part : node.parts) {
    bytes += bytes_before(*part, elements);
    elements -= std::min(elements, part->elements);
  }
  return bytes;
}

}  // namespace tutti::data
