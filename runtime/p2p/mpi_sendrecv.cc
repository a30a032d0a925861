// MPI-5.0 sections 3.10 and 3.7.2: sending and receiving in one call.
#include <cstddef>
#include <memory>

#include "api/body.gen.h"
#include "data/datatype.h"
#include "data/pack.h"
#include "p2p/engine.h"

namespace tutti::mpi {
namespace {

// What a *_replace call sends: the buffer as it was.
struct Copy {
  Copy(const void* buf, Count count, Datatype& type)
      : bytes(count * type.size()), data(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes))) {
    data::pack(buf, count, type, 0, data.get(), static_cast<std::size_t>(bytes));
  }
  Count bytes;
  std::unique_ptr<std::byte[]> data;
};

// The request of MPI_Isendrecv: complete when both halves are. Its status is the receive's.
class Both final : public Request, public p2p::Progressable {
 public:
  explicit Both(Comm& c) : Request(What::kCombined) { comm = Ref<Comm>(&c); }
  Ref<Request> send, recv;
  std::unique_ptr<std::byte[]> data;  // that the send reads

  void begin() {
    if (finish()) return;
    ++refs;  // of the list of plans
    process.p2p->add_progress(*this);
  }
  int advance() override {
    if (!finish()) return 0;
    process.p2p->remove_progress(*this);
    Ref<Request>::adopt(this);
    return 1;
  }

 private:
  bool finish() {
    if (!send->complete || !recv->complete) return false;
    Err sent = take_completion(send, nullptr);
    err = take_completion(recv, &status);
    if (!err) err = std::move(sent);
    data.reset();
    return complete = true;
  }
};

// A receive that is posted but whose send could not start: the buffer must be the user's again.
Err give_up(Ref<Request>& recv, Err why) {
  Err e = recv->cancel();
  if (!e) {
    process.p2p->wait(*recv);
    e = take_completion(recv, nullptr);
  }
  return why;
}

Err start_both(const void* sendbuf, Count sendcount, Datatype& sendtype, int dest, int sendtag, void* recvbuf,
               Count recvcount, Datatype& recvtype, int source, int recvtag, Both& both) {
  p2p::Engine& engine = *process.p2p;
  both.recv = TRY(engine.irecv(recvbuf, recvcount, recvtype, source, recvtag, *both.comm));
  auto send = engine.isend(sendbuf, sendcount, sendtype, dest, sendtag, *both.comm);
  if (!send) return give_up(both.recv, send.take_err());
  both.send = send.take();
  both.begin();
  return {};
}

}  // namespace

Err sendrecv(const void* sendbuf, Count sendcount, Datatype& sendtype, int dest, int sendtag, void* recvbuf,
             Count recvcount, Datatype& recvtype, int source, int recvtag, Comm& comm, Status* status) {
  p2p::Engine& engine = *process.p2p;
  Ref<Request> recv = TRY(engine.irecv(recvbuf, recvcount, recvtype, source, recvtag, comm));
  if (Err e = engine.send(sendbuf, sendcount, sendtype, dest, sendtag, comm)) return give_up(recv, std::move(e));
  engine.wait(*recv);
  return take_completion(recv, status);
}

Err sendrecv_replace(void* buf, Count count, Datatype& datatype, int dest, int sendtag, int source, int recvtag,
                     Comm& comm, Status* status) {
  const Copy copy(buf, count, datatype);
  return sendrecv(copy.data.get(), copy.bytes, predefined_type(BasicId::kPacked), dest, sendtag, buf, count, datatype,
                  source, recvtag, comm, status);
}

Err isendrecv(const void* sendbuf, Count sendcount, Datatype& sendtype, int dest, int sendtag, void* recvbuf,
              Count recvcount, Datatype& recvtype, int source, int recvtag, Comm& comm, Ref<Request>& request) {
  Ref<Both> both = make_ref<Both>(comm);
  TRY(start_both(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, *both));
  request = Ref<Request>(both.get());
  return {};
}

Err isendrecv_replace(void* buf, Count count, Datatype& datatype, int dest, int sendtag, int source, int recvtag,
                      Comm& comm, Ref<Request>& request) {
  Copy copy(buf, count, datatype);
  Ref<Both> both = make_ref<Both>(comm);
  both->data = std::move(copy.data);
  TRY(start_both(both->data.get(), copy.bytes, predefined_type(BasicId::kPacked), dest, sendtag, buf, count, datatype,
                 source, recvtag, *both));
  request = Ref<Request>(both.get());
  return {};
}

}  // namespace tutti::mpi
