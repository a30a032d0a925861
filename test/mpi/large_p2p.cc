// Messages beyond 2^31 bytes: out of one block, scattered, and few bytes that lie far apart.
// ranks: 1 2
// transports: shm slots ucx
#include <vector>

#include "test/mpi/large.h"

namespace {

using large::kGiB;
using large::Region;

const MPI_Count kBytes = 2 * kGiB + 12345;

// From rank 0 to the last rank, which is itself when there is one.
void pass(const void* out, MPI_Count out_count, MPI_Datatype out_type, void* in, MPI_Count in_count,
          MPI_Datatype in_type, MPI_Status* status) {
  const int me = check::rank(), last = check::size() - 1;
  MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status s[2];
  if (me == last) MPI_Irecv_c(in, in_count, in_type, 0, 5, MPI_COMM_WORLD, &r[0]);
  if (me == 0) MPI_Isend_c(out, out_count, out_type, last, 5, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, s);
  *status = s[0];
}

bool receives() { return check::rank() == check::size() - 1; }

void one_block_arrives_whole() {
  const Region out(Region::kRepeated, kBytes), in(Region::kRepeated, kBytes);
  out.fill(7);
  MPI_Status s;
  pass(out.at(0), kBytes, MPI_BYTE, in.at(0), kBytes, MPI_BYTE, &s);
  if (!receives()) return;
  CHECK(in.holds(7, kBytes));
  int few;
  MPI_Count count;
  MPI_Get_count(&s, MPI_BYTE, &few);
  MPI_Get_count_c(&s, MPI_BYTE, &count);
  CHECK(few == MPI_UNDEFINED && count == kBytes);
}

// Halves of each kilobyte are data: the sender, the receiver or both skip the rest.
void scattered_bytes_arrive_whole() {
  const MPI_Count blocks = kBytes / 512;
  MPI_Datatype type;
  MPI_Type_vector_c(blocks, 512, 1024, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  const Region wide(Region::kRepeated, 2 * kBytes), narrow(Region::kRepeated, kBytes);
  MPI_Status s;
  wide.fill(8);
  pass(wide.at(0), 1, type, narrow.at(0), blocks * 512, MPI_BYTE, &s);
  if (receives())
    for (MPI_Count b = blocks - 2000; b < blocks; ++b)
      CHECK(narrow[b * 512 + 9] == Region::pattern(8, b * 1024 + 9));
  narrow.fill(9);
  pass(narrow.at(0), blocks * 512, MPI_BYTE, wide.at(0), 1, type, &s);
  if (receives()) {
    for (MPI_Count b = blocks - 2000; b < blocks; ++b)
      CHECK(wide[b * 1024 + 9] == Region::pattern(9, b * 512 + 9));
    MPI_Count elements;
    MPI_Get_elements_c(&s, type, &elements);
    CHECK(elements == blocks * 512);
  }
  MPI_Type_free(&type);
}

void few_bytes_far_apart_arrive() {
  constexpr int kBlocks = 3, kLong = 30'000;  // eager on every way, and not
  const MPI_Count stride = 3 * kGiB / 2 + 16;
  const Region out(Region::kSparse, kBlocks * stride), in(Region::kSparse, kBlocks * stride);
  for (const int length : {8, kLong}) {
    MPI_Datatype type;
    MPI_Type_create_hvector_c(kBlocks, length, stride, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < kBlocks; ++i) out[i * stride + length - 1] = static_cast<unsigned char>(i + length);
    MPI_Status s;
    pass(out.at(0), 1, type, in.at(0), 1, type, &s);
    if (receives())
      for (int i = 0; i < kBlocks; ++i)
        CHECK(in[i * stride + length - 1] == static_cast<unsigned char>(i + length) && in[i * stride + length] == 0);
    MPI_Type_free(&type);
  }
}

void probes_tell_large_counts() {
  const int me = check::rank(), last = check::size() - 1;
  const Region data(Region::kRepeated, kBytes);
  MPI_Request r = MPI_REQUEST_NULL;
  if (me == 0) MPI_Isend_c(data.at(0), kBytes, MPI_BYTE, last, 6, MPI_COMM_WORLD, &r);
  if (me == last) {
    MPI_Message message;
    MPI_Status s;
    MPI_Mprobe(0, 6, MPI_COMM_WORLD, &message, &s);
    MPI_Count count;
    MPI_Get_count_c(&s, MPI_BYTE, &count);
    CHECK(count == kBytes);
    // Too long for its receive: cut, with the error that says so.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int error_class;
    MPI_Error_class(MPI_Mrecv_c(data.at(0), 100, MPI_BYTE, &message, &s), &error_class);
    CHECK(error_class == MPI_ERR_TRUNCATE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  }
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  one_block_arrives_whole();
  if (large::full()) scattered_bytes_arrive_whole();
  few_bytes_far_apart_arrive();
  probes_tell_large_counts();
  MPI_Finalize();
}
