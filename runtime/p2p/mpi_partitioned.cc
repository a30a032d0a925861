// MPI-5.0 chapter 4: partitioned point-to-point communication.
#include "api/body.gen.h"
#include "p2p/partitioned.h"

namespace tutti::mpi {
namespace {

using p2p::Partitioned, p2p::PartitionedRecv, p2p::PartitionedSend;

Err usable(int partitions, Count count, const Datatype& type) {
  if (partitions < 1) return FAIL(kErrArg, "partitions is %d; it must be at least 1", partitions);
  return count > type.most() / partitions ? too_many(count, type, "count") : Err();
}

// The request as one of these, if it is.
template <class Kind>
Result<Kind*> as(Request* request, const char* made_by) {
  if (!request) return FAIL(kErrRequest, "request is MPI_REQUEST_NULL");
  if (request->what == Request::What::kPartitioned)
    if (Kind* found = dynamic_cast<Kind*>(request)) return found;
  return FAIL(kErrRequest, "request was not made by %s", made_by);
}

Err in_range(const Partitioned& request, int partition, const char* name) {
  if (partition >= 0 && partition < request.partitions()) return {};
  return FAIL(kErrArg, "%s is %d, but the request has partitions 0..%d", name, partition, request.partitions() - 1)
      .on(*request.comm);
}

Result<PartitionedSend*> started_send(Request* request) {
  PartitionedSend* send = TRY(as<PartitionedSend>(request, "MPI_Psend_init"));
  if (send->idle()) return FAIL(kErrRequest, "request is not active: start it first").on(*send->comm);
  return send;
}

Err on_comm(Err e, const Partitioned& request) { return e ? std::move(e).on(*request.comm) : std::move(e); }

}  // namespace

Err psend_init(const void* buf, int partitions, Count count, Datatype& datatype, int dest, int tag, Comm& comm, Info*,
               Ref<Request>& request) {
  TRY(usable(partitions, count, datatype));
  auto* send =
      new PartitionedSend(*process.p2p, const_cast<void*>(buf), partitions, count, datatype, dest, tag, comm);
  request = Ref<Request>(send);
  return send->tell();
}

Err precv_init(void* buf, int partitions, Count count, Datatype& datatype, int source, int tag, Comm& comm, Info*,
               Ref<Request>& request) {
  TRY(usable(partitions, count, datatype));
  if (source == kAnySource) return FAIL(kErrRank, "source is MPI_ANY_SOURCE; a partitioned receive names its sender");
  if (tag == kAnyTag) return FAIL(kErrTag, "tag is MPI_ANY_TAG; a partitioned receive names its tag");
  auto* recv = new PartitionedRecv(*process.p2p, buf, partitions, count, datatype, source, tag, comm);
  request = Ref<Request>(recv);
  return recv->listen();
}

Err pready(int partition, Request* request) {
  PartitionedSend* send = TRY(started_send(request));
  TRY(in_range(*send, partition, "partition"));
  return on_comm(send->ready(partition), *send);
}

Err pready_range(int partition_low, int partition_high, Request* request) {
  PartitionedSend* send = TRY(started_send(request));
  TRY(in_range(*send, partition_low, "partition_low"));
  TRY(in_range(*send, partition_high, "partition_high"));
  for (int i = partition_low; i <= partition_high; ++i) TRY(on_comm(send->ready(i), *send));
  return {};
}

Err pready_list(int length, const int* array_of_partitions, Request* request) {
  PartitionedSend* send = TRY(started_send(request));
  if (length < 0) return FAIL(kErrArg, "length is %d; it must be 0 or more", length).on(*send->comm);
  if (length > 0 && !array_of_partitions)
    return FAIL(kErrArg, "array_of_partitions is a null pointer, but length is %d", length).on(*send->comm);
  for (int i = 0; i < length; ++i) {
    TRY(in_range(*send, array_of_partitions[i], text_of("array_of_partitions[%d]", i).c_str()));
    TRY(on_comm(send->ready(array_of_partitions[i]), *send));
  }
  return {};
}

Err parrived(Request* request, int partition, int* flag) {
  PartitionedRecv* recv = TRY(as<PartitionedRecv>(request, "MPI_Precv_init"));
  TRY(in_range(*recv, partition, "partition"));
  *flag = recv->arrived(partition);
  return {};
}

}  // namespace tutti::mpi
