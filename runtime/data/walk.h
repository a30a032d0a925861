// Visits the data of a layout in packed order, whole or between two packed bytes. A Sink is told of blocks:
//   bool block(std::byte* user, Count bytes, BasicId basic)
//   bool strided(std::byte* user, Count bytes, Count count, Count stride, BasicId basic)          count blocks
//   bool scattered(Address origin, const Count* disps, Count bytes, Count count, BasicId basic)   count blocks
// and returns false to stop; one that may be told of a loop over a list of blocks entry by entry has
//   bool table(const Node& list, Count count, Count stride, Address origin)   false: not this one, walk it
// too. The walk is a template so that each sink gets loops of its own. Used inside data/ only.
#pragma once
#include <algorithm>

#include "data/layout.h"

namespace tutti::data {

// Where something lies, as a number: with MPI_BOTTOM displacements are addresses, and no pointer may be null plus one.
using Address = std::uintptr_t;
inline std::byte* pointer(Address at) { return reinterpret_cast<std::byte*>(at); }
inline Address moved(Address at, Count by) { return at + static_cast<Address>(by); }

template <class Sink> bool walk(const Node& node, Address at, Sink& sink);

template <class Sink> bool walk_loop(const Node& child, Count count, Count stride, Address at, Sink& sink) {
  if (child.kind == Node::Kind::kBlock) return sink.strided(pointer(at), child.size, count, stride, child.basic);
  if constexpr (requires { sink.table(child, count, stride, at); })
    if (child.kind == Node::Kind::kBlocks && sink.table(child, count, stride, at)) return true;
  for (Count i = 0; i < count; ++i)
    if (!walk(child, moved(at, i * stride), sink)) return false;
  return true;
}

// Entries first..last - 1 of a list.
template <class Sink> bool walk_list(const Node& node, Count first, Count last, Address at, Sink& sink) {
  if (node.kind == Node::Kind::kBlocks && node.even)
    return first == last || sink.scattered(at, node.disps.data() + first, node.even, last - first, node.basic);
  for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
    const Address origin = moved(at, node.disps[i]);
    const bool go_on = node.kind == Node::Kind::kBlocks
                           ? sink.block(pointer(origin), node.starts[i + 1] - node.starts[i], node.basic)
                           : walk(*node.parts[i], origin, sink);
    if (!go_on) return false;
  }
  return true;
}

// All of a node whose origin is `at`.
template <class Sink> bool walk(const Node& node, Address at, Sink& sink) {
  switch (node.kind) {
    case Node::Kind::kBlock: return sink.block(pointer(at), node.size, node.basic);
    case Node::Kind::kLoop: return walk_loop(*node.child, node.count, node.stride, at, sink);
    default: return walk_list(node, 0, static_cast<Count>(node.disps.size()), at, sink);
  }
}

template <class Sink> bool walk(const Node& node, Address at, Count from, Count to, Sink& sink);

// The same between packed bytes from < to of a loop: a partial copy, whole ones, a partial copy.
template <class Sink>
bool walk_loop(const Node& child, Count stride, Address at, Count from, Count to, Sink& sink) {
  Count first = from / child.size;
  const Count skip = from - first * child.size;
  if (skip > 0) {
    const Count end = std::min(child.size, to - first * child.size);
    if (!walk(child, moved(at, first * stride), skip, end, sink)) return false;
    ++first;
  }
  const Count last = to / child.size;
  if (last > first && !walk_loop(child, last - first, stride, moved(at, first * stride), sink)) return false;
  const Count rest = to - last * child.size;
  return last < first || rest == 0 || walk(child, moved(at, last * stride), 0, rest, sink);
}

// The same of one entry of a list; bytes count from the list's start.
template <class Sink>
bool walk_entry(const Node& node, Count entry, Address at, Count from, Count to, Sink& sink) {
  const auto i = static_cast<std::size_t>(entry);
  const Address origin = moved(at, node.disps[i]);
  from -= node.starts[i], to -= node.starts[i];
  if (node.kind == Node::Kind::kParts) return walk(*node.parts[i], origin, from, to, sink);
  return sink.block(pointer(moved(origin, from)), to - from, node.basic);
}

// The same between packed bytes from < to of a node.
template <class Sink> bool walk(const Node& node, Address at, Count from, Count to, Sink& sink) {
  if (from == 0 && to == node.size) return walk(node, at, sink);
  if (node.kind == Node::Kind::kBlock) return sink.block(pointer(moved(at, from)), to - from, node.basic);
  if (node.kind == Node::Kind::kLoop) return walk_loop(*node.child, node.stride, at, from, to, sink);
  Count first = node.entry_of(from);
  const auto start_of = [&](Count entry) { return node.starts[static_cast<std::size_t>(entry)]; };
  if (from > start_of(first)) {
    if (!walk_entry(node, first, at, from, std::min(to, start_of(first + 1)), sink)) return false;
    ++first;
  }
  const Count last = to == node.size ? static_cast<Count>(node.disps.size()) : node.entry_of(to);
  if (last < first) return true;
  if (!walk_list(node, first, last, at, sink)) return false;
  return to == start_of(last) || walk_entry(node, last, at, start_of(last), to, sink);
}

// Packed bytes [from, to) of consecutive elements of a type in a user's buffer.
template <class Sink>
bool walk_elements(const Placed& layout, Count extent, void* buffer, Count from, Count to, Sink& sink) {
  if (from >= to) return true;
  return walk_loop(*layout.node, extent, moved(reinterpret_cast<Address>(buffer), layout.disp), from, to, sink);
}

}  // namespace tutti::data
