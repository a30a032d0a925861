#include "test/unit/catch.h"

#include "coll/call.h"
#include "test/unit/coll_fake_engine.h"

namespace tutti::coll {
namespace {

struct Two {
  Ref<Comm> comm = make_ref<Comm>(make_context(0, 1), make_ref<Group>(std::vector<int>{0, 1}, 0));  // we are rank 0
  Datatype& type = predefined_type(BasicId::kInt);
  Op& sum = predefined_op(OpId::kSum);
  int a[4] = {}, b[4] = {};
};

int class_of(const Result<Call>& call) { return call ? int{kSuccess} : call.err().mpi_class(); }
std::string text_of(const Result<Call>& call) { return call ? "" : call.err().text(); }

}  // namespace

TEST_CASE("MPI_IN_PLACE where it is not allowed is an error that says where") {
  Two t;
  CHECK(class_of(bcast_call(kInPlace, 1, t.type, 0, *t.comm)) == kErrBuffer);
  CHECK_THAT(text_of(reduce_call(kInPlace, t.b, 1, t.type, t.sum, 1, *t.comm)), Catch::Contains("only the root"));
  CHECK(class_of(reduce_call(kInPlace, t.b, 1, t.type, t.sum, 0, *t.comm)) == kSuccess);
  CHECK_THAT(text_of(vector_call(Coll::kAllreduce, t.a, kInPlace, 1, t.type, t.sum, *t.comm)),
             Catch::Contains("sendbuf"));
  const Buffer in_place = blocks(kInPlace, 0, nullptr), two = blocks(t.b, 2, &t.type), one = blocks(t.a, 1, &t.type);
  CHECK(class_of(rooted_call(Coll::kGather, in_place, one, 1, *t.comm)) == kErrBuffer);
  CHECK(class_of(rooted_call(Coll::kGather, in_place, one, 0, *t.comm)) == kSuccess);
  CHECK(class_of(rooted_call(Coll::kScatter, in_place, one, 0, *t.comm)) == kErrBuffer);
  CHECK(class_of(rooted_call(Coll::kScatter, one, in_place, 0, *t.comm)) == kSuccess);
  CHECK(class_of(blocks_call(Coll::kAlltoall, in_place, two, *t.comm)) == kSuccess);
  CHECK(class_of(blocks_call(Coll::kAlltoall, two, in_place, *t.comm)) == kErrBuffer);
}

TEST_CASE("a send buffer that is the receive buffer is an error, unless nothing is in it") {
  Two t;
  CHECK_THAT(text_of(vector_call(Coll::kAllreduce, t.a, t.a, 1, t.type, t.sum, *t.comm)),
             Catch::Contains("MPI_IN_PLACE"));
  CHECK(class_of(vector_call(Coll::kAllreduce, t.a, t.a, 0, t.type, t.sum, *t.comm)) == kSuccess);
  CHECK(class_of(blocks_call(Coll::kAllgather, blocks(t.a, 1, &t.type), blocks(t.a, 1, &t.type), *t.comm)) ==
        kErrBuffer);
  CHECK(class_of(reduce_call(t.a, t.a, 1, t.type, t.sum, 1, *t.comm)) ==
        kSuccess);  // not the root: recvbuf is nobody's
}

TEST_CASE("null is a buffer for nothing, and for absolute addresses") {
  Two t;
  CHECK(class_of(bcast_call(nullptr, 1, t.type, 0, *t.comm)) == kErrBuffer);
  CHECK(class_of(bcast_call(nullptr, 0, t.type, 0, *t.comm)) == kSuccess);
  const Count at = Count(reinterpret_cast<std::uintptr_t>(t.a));
  Ref<Datatype> absolute = data::make_hindexed_block(1, 1, Ints(&at), t.type).take();
  absolute->commit();
  CHECK(class_of(bcast_call(kBottom, 1, *absolute, 0, *t.comm)) == kSuccess);
}

TEST_CASE("only the arguments that matter on a rank are looked at") {
  Two t;
  const Buffer nonsense = blocks(kInPlace, -3, nullptr);
  CHECK(class_of(rooted_call(Coll::kGather, blocks(t.a, 1, &t.type), nonsense, 1, *t.comm)) == kSuccess);
  CHECK(class_of(rooted_call(Coll::kScatter, nonsense, blocks(t.a, 1, &t.type), 1, *t.comm)) == kSuccess);
  CHECK(class_of(rooted_call(Coll::kGather, blocks(t.a, 1, &t.type), nonsense, 0, *t.comm)) != kSuccess);
}

TEST_CASE("wrong counts and types are told by name and place") {
  Two t;
  const int counts[] = {1, -2}, displs[] = {0, 1};
  CHECK_THAT(text_of(blocks_call(Coll::kAllgatherv, blocks(t.a, 1, &t.type),
                                 blocks(t.b, Ints(counts), Ints(displs), &t.type), *t.comm)),
             Catch::Contains("recvcounts[1] is -2"));
  CHECK_THAT(text_of(reduce_scatter_call(t.a, t.b, Ints(counts), t.type, t.sum, *t.comm)),
             Catch::Contains("recvcounts[1] is -2"));
  CHECK_THAT(text_of(blocks_call(Coll::kAllgather, blocks(t.a, -1, &t.type), blocks(t.b, 1, &t.type), *t.comm)),
             Catch::Contains("sendcount is -1"));
  CHECK(class_of(blocks_call(Coll::kAllgather, blocks(t.a, 1, nullptr), blocks(t.b, 1, &t.type), *t.comm)) == kErrType);
  CHECK(class_of(blocks_call(Coll::kAllgather, blocks(t.a, 2, &t.type), blocks(t.b, 1, &t.type), *t.comm)) ==
        kErrTruncate);
  CHECK(class_of(blocks_call(Coll::kAllgather, blocks(t.a, 1, &t.type), blocks(t.b, 2, &t.type), *t.comm)) ==
        kErrCount);
  CHECK(class_of(vector_call(Coll::kAllreduce, t.a, t.b, 1, predefined_type(BasicId::kFloat),
                             predefined_op(OpId::kBand), *t.comm)) == kErrOp);
  Ref<Datatype> raw = data::make_contiguous(2, t.type).take();
  CHECK(class_of(bcast_call(t.a, 1, *raw, 0, *t.comm)) == kErrType);
}

TEST_CASE("between two groups MPI_IN_PLACE and scans are refused, and what a rank does not use is not looked at") {
  Two t;
  Ref<Comm> inter = make_ref<Comm>(make_context(0, 1), make_ref<Group>(std::vector<int>{0}, 0),
                                   make_ref<Group>(std::vector<int>{1}, 0));
  CHECK_THAT(text_of(vector_call(Coll::kAllreduce, kInPlace, t.b, 1, t.type, t.sum, *inter)),
             Catch::Contains("intercommunicators do not take"));
  CHECK(class_of(vector_call(Coll::kScan, t.a, t.b, 1, t.type, t.sum, *inter)) == kErrComm);
  CHECK(class_of(vector_call(Coll::kExscan, t.a, t.b, 1, t.type, t.sum, *inter)) == kErrComm);
  const Buffer nonsense = blocks(kInPlace, -3, nullptr), good = blocks(t.a, 1, &t.type);
  CHECK(class_of(rooted_call(Coll::kGather, nonsense, good, kRoot, *inter)) == kSuccess);
  CHECK(class_of(rooted_call(Coll::kGather, good, nonsense, kRoot, *inter)) == kErrBuffer);
  CHECK(class_of(rooted_call(Coll::kGather, good, nonsense, 0, *inter)) == kSuccess);
  CHECK(class_of(rooted_call(Coll::kGather, nonsense, good, 0, *inter)) == kErrBuffer);
  CHECK(class_of(rooted_call(Coll::kScatter, nonsense, nonsense, kProcNull, *inter)) == kSuccess);
  CHECK(class_of(bcast_call(kInPlace, -1, t.type, kProcNull, *inter)) == kSuccess);
  CHECK(class_of(reduce_call(kInPlace, kInPlace, 1, t.type, t.sum, kProcNull, *inter)) == kSuccess);
  CHECK(class_of(reduce_call(nullptr, t.b, 1, t.type, t.sum, kRoot, *inter)) == kSuccess);
  CHECK(class_of(reduce_call(nullptr, t.b, 1, t.type, t.sum, 0, *inter)) == kErrBuffer);
}

}  // namespace tutti::coll
