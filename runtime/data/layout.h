// Where a type's data lies, as a small tree: a block, a loop over a child, a list of blocks, a list of parts. It is
// kept small as it is made: adjacent blocks become one, a block repeated without gap becomes a longer block, nested loops
// that continue each other become one loop, evenly spaced equal blocks become a loop. So what is contiguous is one
// memcpy, and a vector of a million blocks is one node. Nodes are immutable and shared between types.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "base/status.h"
#include "data/basic.h"
#include "data/datatype.h"

namespace tutti::data {

struct Node {
  enum class Kind : std::uint8_t { kBlock, kLoop, kBlocks, kParts };
  Kind kind;
  BasicId basic = BasicId::kNone;   // of all the data below, kNone for a mixture
  Count size = 0;                   // packed bytes, > 0
  Count elements = 0;               // basic elements, a pair counts as two
  // kLoop: `count` copies of `child`, `stride` bytes apart.
  Count count = 0, stride = 0;
  NodePtr child;
  // kBlocks, kParts: entry i lies at disps[i] and holds packed bytes [starts[i], starts[i + 1]).
  // `even` is the packed size of every entry, or 0 if they differ.
  Count even = 0;
  std::vector<Count> disps, starts;
  std::vector<NodePtr> parts;       // kParts only

  // The entry that holds packed byte `at`.
  Count entry_of(Count at) const;
};

// `bytes` of data of one basic type (elements many), or of mixed ones.
Placed block(Count disp, Count bytes, Count elements, BasicId basic);
// `count` copies, `stride` bytes apart.
Placed repeated(const Placed& one, Count count, Count stride);

// Collects entries in packed order. `split_basics`: blocks of different basic types stay apart.
class Joiner {
 public:
  explicit Joiner(bool split_basics) : split_(split_basics) {}
  void reserve(Count entries);
  void add(Placed entry);
  Placed take();

 private:
  struct Entry {
    Count disp, bytes, elements;
    BasicId basic;
    NodePtr node;                   // null for a block
  };
  Placed evenly(Count count, Count stride) const;
  bool split_;
  std::vector<Entry> entries_;
};

// Basic elements in the first `bytes` packed bytes of a layout that keeps basic types apart; -1 when they end inside
// one.
Count elements_before(const Node& node, Count bytes);
// The inverse.
Count bytes_before(const Node& node, Count elements);

}  // namespace tutti::data
