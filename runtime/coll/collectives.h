// What a communicator keeps for its collectives: where its ranks lie, the plans it has used, and runs that are idle
// with their room (Comm::collectives). A call looks its plan up by what it has in common on all ranks; a repeated call
// allocates nothing. Made at the communicator's first collective; under the process lock when threaded.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coll/call.h"
#include "coll/choose.h"
#include "coll/plan.h"
#include "coll/settings.h"
#include "comm/topology.h"
#include "p2p/engine.h"

namespace tutti::coll {

class Run;

// How a collective is called. Those of one style match in the order of their calls. MPI asks that for all together
// (MPI-5.0 section 6.14), but programs that mix them otherwise run on other libraries, too.
enum class Style { kBlocking, kNonblocking, kPersistent };

// What collectives need to know of the process; bodies take it from there, tests make it up.
struct Setup {
  p2p::Engine* engine;
  std::vector<int> node_of;  // of the communicator's ranks
  Settings settings;
};

// A plan for one kind of call, and how the choice came about.
struct Planned {
  Coll coll;
  int root;
  Count count, unit_bytes;
  bool commutes;
  std::vector<Count> starts;  // reduce_scatter
  const Row* row = nullptr;
  int algo = 0;  // number of the row; between groups, one more than the last
  Plan plan;
  int users = 0;  // runs that execute it
  std::uint64_t last_use = 0;
  bool serves(const Shape& s) const;
};

class Collectives final : public Attachment {
 public:
  Collectives(Comm& comm, Setup setup);
  ~Collectives() override;
  // Those of a communicator, made if need be from the process's engine, boot facts and environment.
  static Collectives& of(Comm& comm);

  // The plan for this call; counted as used until dropped.
  Planned& use_plan(const Shape& s);
  void drop_plan(Planned& p) { --p.users; }
  // Tells apart the messages of collectives under way. A persistent one has its tag for life.
  int next_tag(Style style);
  // A run that nobody uses.
  Run& take_run();
  void give_run(Run& run);

  const Settings& settings() const { return setup_.settings; }
  p2p::Engine& engine() const { return *setup_.engine; }
  Comm& comm() const { return comm_; }
  // Of this rank, for neighbourhood collectives; found at the first of them. kErrTopology without a topology.
  Result<const comm::Neighbours*> neighbours();
  // Of this rank; starts, when given, must outlive it.
  Shape shape(Coll coll, int root, Count count, Count unit_bytes, bool commutes, const Count* starts) const;

 private:
  Planned& find_plan(const Shape& s);
  void tell(const Shape& s, const Choice& choice);
  Planned& room_for_plan();

  Comm& comm_;
  Setup setup_;
  Nodes nodes_;
  std::optional<comm::Neighbours> neighbours_;
  std::vector<std::unique_ptr<Planned>> plans_;
  static constexpr std::size_t kSlots = 64;
  Planned* recent_[kSlots] = {};  // by a hash of the call: finds a plan at the first look
  std::uint64_t clock_ = 0;
  std::vector<std::unique_ptr<Run>> runs_;
  std::vector<Run*> idle_;
  std::uint32_t numbers_[3] = {};     // of the calls so far, by style
  std::uint64_t told_[kColls] = {};  // size bins whose choice was printed
  std::uint32_t warned_ = 0;         // collectives that TUTTI_ALGO was told about
};

// Starts a call and waits for its end.
Err run_now(const Call& call);
// Starts it; `request` is active, perhaps complete.
Err run_later(const Call& call, Ref<Request>& request);
// A persistent request for it, inactive.
Err run_on_start(const Call& call, Ref<Request>& request);

}  // namespace tutti::coll
