// Types, counts and packing beyond 2^31 elements and 2^31 bytes, in one process.
// ranks: 1
// transports: shm
#include <vector>

#include "test/mpi/large.h"

namespace {

using large::kGiB;
using large::Region;

void sizes_beyond_an_int_are_undefined_in_int_forms() {
  MPI_Datatype type;
  MPI_Type_contiguous_c(3 * kGiB, MPI_INT, &type);
  MPI_Type_commit(&type);
  int size;
  MPI_Count size_c, lb_c, extent_c;
  MPI_Aint lb, extent;
  MPI_Type_size(type, &size);
  CHECK(size == MPI_UNDEFINED);
  MPI_Type_size_c(type, &size_c);
  CHECK(size_c == 12 * kGiB);
  MPI_Type_get_extent(type, &lb, &extent);
  CHECK(lb == 0 && extent == 12 * kGiB);
  MPI_Type_get_true_extent_c(type, &lb_c, &extent_c);
  CHECK(lb_c == 0 && extent_c == 12 * kGiB);
  MPI_Pack_size(1, type, MPI_COMM_WORLD, &size);
  CHECK(size == MPI_UNDEFINED);
  MPI_Pack_size_c(2, type, MPI_COMM_WORLD, &size_c);
  CHECK(size_c >= 24 * kGiB);
  MPI_Pack_external_size_c("external32", 2, type, &size_c);
  CHECK(size_c == 24 * kGiB);
  MPI_Type_free(&type);
}

void statuses_hold_large_counts() {
  MPI_Status s{};
  MPI_Count count;
  int few;
  CHECK(MPI_Status_set_elements_c(&s, MPI_INT, 5 * kGiB) == MPI_SUCCESS);
  MPI_Get_count(&s, MPI_INT, &few);
  CHECK(few == MPI_UNDEFINED);
  MPI_Get_count_c(&s, MPI_INT, &count);
  CHECK(count == 5 * kGiB);
  MPI_Get_elements(&s, MPI_BYTE, &few);
  CHECK(few == MPI_UNDEFINED);
  MPI_Get_elements_c(&s, MPI_BYTE, &count);
  CHECK(count == 20 * kGiB);
  MPI_Datatype kilo, pair;
  MPI_Type_contiguous(1024, MPI_INT, &kilo);
  MPI_Type_commit(&kilo);
  MPI_Get_count(&s, kilo, &few);
  CHECK(few == 5 * (1 << 20));
  MPI_Type_free(&kilo);
  MPI_Type_contiguous_c(kGiB, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Get_count(&s, pair, &few);
  CHECK(few == 5);
  MPI_Get_elements_x(&s, pair, &count);
  CHECK(count == 5 * kGiB);
  MPI_Type_free(&pair);
}

void contents_of_large_types_need_the_large_form() {
  MPI_Datatype type, old;
  const MPI_Count lengths[] = {1, 3 * kGiB}, displacements[] = {0, 5 * kGiB};
  MPI_Type_indexed_c(2, lengths, displacements, MPI_SHORT, &type);
  MPI_Count integers, addresses, counts, types;
  int combiner;
  MPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
  CHECK(combiner == MPI_COMBINER_INDEXED && integers == 0 && addresses == 0 && counts == 5 && types == 1);
  MPI_Count got[5];
  MPI_Type_get_contents_c(type, 0, 0, 5, 1, nullptr, nullptr, got, &old);
  CHECK(got[0] == 2 && got[2] == 3 * kGiB && got[4] == 5 * kGiB && old == MPI_SHORT);
  MPI_Count size;
  MPI_Type_size_c(type, &size);
  CHECK(size == 6 * kGiB + 2);
  MPI_Type_free(&type);
}

void positions_beyond_an_int_pack_and_unpack() {
  const MPI_Count bytes = 2 * kGiB + 4096;
  const Region user(Region::kRepeated, bytes), packed(Region::kRepeated, bytes + 8), back(Region::kRepeated, bytes);
  user.fill(1);
  MPI_Count position = 8;
  MPI_Pack_c(user.at(0), bytes, MPI_BYTE, packed.at(0), bytes + 8, &position, MPI_COMM_WORLD);
  CHECK(position == bytes + 8);
  position = 8;
  MPI_Unpack_c(packed.at(0), bytes + 8, &position, back.at(0), bytes, MPI_BYTE, MPI_COMM_WORLD);
  CHECK(position == bytes + 8 && back.holds(1, bytes));
}

// Few bytes, far apart.
void blocks_gibibytes_apart_pack_and_unpack() {
  constexpr int kBlocks = 3;
  const MPI_Count stride = 3 * kGiB / 2 + 8;
  const Region user(Region::kSparse, kBlocks * stride);
  MPI_Datatype type;
  MPI_Type_create_hvector_c(kBlocks, 2, stride, MPI_INT64_T, &type);
  MPI_Type_commit(&type);
  for (int i = 0; i < kBlocks; ++i) *reinterpret_cast<std::int64_t*>(user.at(i * stride + 8)) = 100 + i;
  std::int64_t packed[2 * kBlocks];
  int position = 0;
  MPI_Pack(user.at(0), 1, type, packed, sizeof packed, &position, MPI_COMM_WORLD);
  CHECK(position == sizeof packed);
  for (int i = 0; i < kBlocks; ++i) {
    CHECK(packed[2 * i + 1] == 100 + i);
    packed[2 * i] = -i;
  }
  position = 0;
  MPI_Unpack(packed, sizeof packed, &position, user.at(0), 1, type, MPI_COMM_WORLD);
  for (int i = 0; i < kBlocks; ++i) CHECK(*reinterpret_cast<std::int64_t*>(user.at(i * stride)) == -i);
  MPI_Type_free(&type);
}

// 2^31 + some elements in one call: a strided type of every other byte.
void more_than_2_31_strided_elements_pack() {
  const MPI_Count elements = large::full() ? 2 * kGiB + 77 : 40'000'077;
  const Region user(Region::kRepeated, 2 * elements), packed(Region::kRepeated, elements);
  user.fill(3);
  MPI_Datatype type;
  MPI_Type_vector_c(elements, 1, 2, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Count position = 0;
  MPI_Pack_c(user.at(0), 1, type, packed.at(0), elements, &position, MPI_COMM_WORLD);
  CHECK(position == elements);
  for (MPI_Count i = elements - 1000; i < elements; ++i) CHECK(packed[i] == Region::pattern(3, 2 * i));
  MPI_Type_free(&type);
}

void reductions_take_more_than_2_31_elements() {
  const MPI_Count count = 2 * kGiB + 5;
  const Region in(Region::kRepeated, count), out(Region::kRepeated, count);
  in.fill(0);
  // The repeated period is met an odd or an even number of times: x ^ x = 0, so what counts is the last meeting.
  MPI_Reduce_local_c(in.at(0), out.at(0), count, MPI_BYTE, MPI_BXOR);
  const MPI_Count last = (count / MPI_Count{Region::kPeriod}) * MPI_Count{Region::kPeriod};
  for (MPI_Count i = 0; i < MPI_Count{Region::kPeriod}; i += 997) {
    const MPI_Count times = last / MPI_Count{Region::kPeriod} + (last + i < count);
    CHECK(out[i] == (times % 2 ? in[i] : 0));
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  sizes_beyond_an_int_are_undefined_in_int_forms();
  statuses_hold_large_counts();
  contents_of_large_types_need_the_large_form();
  positions_beyond_an_int_pack_and_unpack();
  blocks_gibibytes_apart_pack_and_unpack();
  more_than_2_31_strided_elements_pack();
  reductions_take_more_than_2_31_elements();
  MPI_Finalize();
}
