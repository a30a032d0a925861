// Visits the data of a layout in packed order, whole or between two packed bytes. A Sink is told of blocks:
//   bool block(std::byte* user, Count bytes, BasicId basic)
//   bool strided(std::byte* user, Count bytes, Count count, Count stride, BasicId basic)   count blocks
// and returns false to stop. The walk is a template so that each sink gets loops of its own. Used inside data/ only.
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
  for (Count i = 0; i < count; ++i)
    if (!walk(child, moved(at, i * stride), sink)) return false;
  return true;
}

// All of a node whose origin is `at`.
template <class Sink> bool walk(const Node& node, Address at, Sink& sink) {
  switch (node.kind) {
    case Node::Kind::kBlock:
      return sink.block(pointer(at), node.size, node.basic);
    case Node::Kind::kLoop:
      return walk_loop(*node.child, node.count, node.stride, at, sink);
    case Node::Kind::kBlocks:
      for (std::size_t i = 0; i < node.disps.size(); ++i)
        if (!sink.block(pointer(moved(at, node.disps[i])), node.starts[i + 1] - node.starts[i], node.basic)) return false;
      return true;
    case Node::Kind::kParts:
      for (std::size_t i = 0; i < node.disps.size(); ++i)
        if (!walk(*node.parts[i], moved(at, node.disps[i]), sink)) return false;
      return true;
  }
  return true;
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

// The same between packed bytes from < to of a node.
template <class Sink> bool walk(const Node& node, Address at, Count from, Count to, Sink& sink) {
  if (from == 0 && to == node.size) return walk(node, at, sink);
  if (node.kind == Node::Kind::kBlock) return sink.block(pointer(moved(at, from)), to - from, node.basic);
  if (node.kind == Node::Kind::kLoop) return walk_loop(*node.child, node.stride, at, from, to, sink);
  for (auto i = static_cast<std::size_t>(node.entry_of(from)); i < node.disps.size() && node.starts[i] < to; ++i) {
    const Count start = node.starts[i];
    const Count first = std::max(from, start) - start, last = std::min(to, node.starts[i + 1]) - start;
    const Address origin = moved(at, node.disps[i]);
    const bool go_on = node.kind == Node::Kind::kBlocks ? sink.block(pointer(moved(origin, first)), last - first, node.basic)
                                                        : walk(*node.parts[i], origin, first, last, sink);
    if (!go_on) return false;
  }
  return true;
}

// Packed bytes [from, to) of consecutive elements of a type in a user's buffer.
template <class Sink>
bool walk_elements(const Placed& layout, Count extent, void* buffer, Count from, Count to, Sink& sink) {
  if (from >= to) return true;
  return walk_loop(*layout.node, extent, moved(reinterpret_cast<Address>(buffer), layout.disp), from, to, sink);
}

}  // namespace tutti::data
