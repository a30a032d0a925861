// Rows of the operation table that pack and unpack data of common shapes; each rank for itself. Beside pack_block, which is
// one memcpy, they tell what a shape costs.
#include <algorithm>

#include "bench/bench_ops.h"

namespace tutti::bench {
namespace {

MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

MPI_Datatype spread(MPI_Datatype old, MPI_Aint extent) {
  MPI_Datatype type;
  MPI_Type_create_resized(old, 0, extent, &type);
  return committed(type);
}

MPI_Datatype block() { return spread(MPI_DOUBLE, sizeof(double)); }
MPI_Datatype doubles() { return spread(MPI_DOUBLE, 2 * sizeof(double)); }
MPI_Datatype floats() { return spread(MPI_FLOAT, 2 * sizeof(float)); }

struct FloatDouble {
  float x;
  double y;
};
MPI_Datatype struct_of_two() {
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {offsetof(FloatDouble, x), offsetof(FloatDouble, y)};
  const MPI_Datatype types[] = {MPI_FLOAT, MPI_DOUBLE};
  MPI_Datatype pair;
  MPI_Type_create_struct(2, lengths, places, types, &pair);
  MPI_Datatype type = spread(pair, sizeof(FloatDouble));
  MPI_Type_free(&pair);
  return type;
}

// Blocks of `length` doubles with unequal gaps.
MPI_Datatype indexed(int length) {
  constexpr int kBlocks = 64;
  int starts[kBlocks];
  for (int i = 0; i < kBlocks; ++i) starts[i] = 3 * length * i + (i % 3 == 1 ? length : 0);
  MPI_Datatype list;
  MPI_Type_create_indexed_block(kBlocks, length, starts, MPI_DOUBLE, &list);
  MPI_Datatype type = spread(list, 3 * kBlocks * length * MPI_Aint(sizeof(double)));
  MPI_Type_free(&list);
  return type;
}
MPI_Datatype indexed_1() { return indexed(1); }
MPI_Datatype indexed_4() { return indexed(4); }

int elements(const Call& c) {
  int size;
  MPI_Type_size(c.type, &size);
  return int(c.bytes) / size;
}

void pack(Call& c) {
  int position = 0;
  MPI_Pack(c.send, elements(c), c.type, c.recv, int(c.bytes), &position, MPI_COMM_SELF);
}

void unpack(Call& c) {
  int position = 0;
  MPI_Unpack(c.send, int(c.bytes), &position, c.recv, elements(c), c.type, MPI_COMM_SELF);
}

Expected nothing(const Call&, int) { return {}; }

using enum Holds;
constexpr const char* kData = "packed data, in whole elements";

constexpr Op packing(const char* name, MPI_Datatype (*type)()) {
  return {name, "pack", kData, kSpread, kOne, false, false, Rate::kCall, pack, nothing, type};
}
constexpr Op unpacking(const char* name, MPI_Datatype (*type)()) {
  return {name, "pack", kData, kOne, kSpread, false, false, Rate::kCall, unpack, nothing, type};
}

constexpr Op kOps[] = {
    packing("pack_block", block),          unpacking("unpack_block", block),
    packing("pack_doubles", doubles),      unpacking("unpack_doubles", doubles),
    packing("pack_floats", floats),        unpacking("unpack_floats", floats),
    packing("pack_structs", struct_of_two), unpacking("unpack_structs", struct_of_two),
    packing("pack_indexed_1", indexed_1),  unpacking("unpack_indexed_1", indexed_1),
    packing("pack_indexed_4", indexed_4),  unpacking("unpack_indexed_4", indexed_4),
};

}  // namespace

std::span<const Op> pack_ops() { return kOps; }

}  // namespace tutti::bench
