// A duplication that does not wait. The new communicator's id comes down a binomial tree over the parent, or over each
// of its groups, step by step whenever the engine makes progress.
#include <vector>

#include "base/process.h"
#include "data/datatype.h"
#include "p2p/engine.h"
#include "world/agree.h"
#include "world/create.h"
#include "world/world.h"

namespace tutti::world {
namespace {

class Duplication : public Request, public p2p::Progressable {
 public:
  Duplication(Comm& parent, Ref<Comm> made)
      : Request(What::kCollective),
        inside_(parent.inter() ? *parent.inside : parent),
        leads_(!parent.inter() || parent.group->world_rank(0) < parent.remote->world_rank(0)),
        made_(std::move(made)),
        tag_(creation_tag(parent)) {
    comm = Ref<Comm>(&parent);
    set_empty_status(status);
  }

  Err begin() {
    p2p::Engine& engine = *process.p2p;
    if (comm->rank == 0 && leads_) {
      id_ = process.world->new_context(comm->inter() ? 2 : 1);
      if (comm->inter()) TRY(send(*comm, 0));
      TRY(pass_on());
    } else {
      const int above = comm->rank & (comm->rank - 1);
      receive_ = TRY(engine.irecv(&id_, sizeof id_, predefined_type(BasicId::kByte), above, tag_,
                                  comm->rank == 0 ? *comm : inside_, Channel::kCollective));
    }
    if (step()) return {};
    working_ = Ref<Request>(this);
    engine.add_progress(*this);
    return {};
  }

  int advance() override {
    if (!step()) return 0;
    process.p2p->remove_progress(*this);
    const Ref<Request> last = std::move(working_);  // perhaps the only one: the user may have freed the request
    return 1;
  }

 private:
  // Goes as far as it can without waiting; true when all is done.
  bool step() {
    if (receive_) {
      if (!receive_->complete) return false;
      err = std::move(receive_->err);
      receive_ = nullptr;
      if (!err) err = pass_on();
    }
    for (const Ref<Request>& sending : sends_)
      if (!sending->complete) return false;
    made_->learn_context(id_);
    return complete = true;
  }

  Err pass_on() {
    const int me = comm->rank, lowest = me == 0 ? 1 << 30 : me & -me;
    for (int reach = 1; reach < lowest && me + reach < comm->size; reach *= 2) TRY(send(inside_, me + reach));
    return {};
  }

  Err send(Comm& via, int to) {
    sends_.push_back(TRY(
        process.p2p->isend(&id_, sizeof id_, predefined_type(BasicId::kByte), to, tag_, via, Channel::kCollective)));
    return {};
  }

  Comm& inside_;      // my group of the parent
  const bool leads_;  // its rank 0 makes the id
  Ref<Comm> made_;
  int tag_;
  Context id_ = 0;
  Ref<Request> receive_, working_;
  std::vector<Ref<Request>> sends_;
};

}  // namespace

Result<Ref<Request>> idup(Comm& comm, const Info* hints, Ref<Comm>& made) {
  Ref<Comm> fresh = make_comm(0, comm.group, comm, comm.remote);
  Ref<Duplication> request = make_ref<Duplication>(comm, fresh);
  // The others count on us to pass the id on, even if an attribute function then fails here.
  TRY(request->begin());
  TRY(dress_duplicate(*fresh, comm, hints));
  made = std::move(fresh);
  return Ref<Request>(request.get());
}

}  // namespace tutti::world
