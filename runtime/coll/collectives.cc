#include "coll/collectives.h"

#include <algorithm>
#include <bit>

#include "base/log.h"
#include "base/process.h"
#include "coll/run.h"
#include "machine/boot.h"

namespace tutti::coll {
namespace {

constexpr std::size_t kMostPlans = 128;  // of a communicator; the one that was not used for longest gives way

Setup setup_of_process(const Comm& comm) {
  const bool world = &comm == process.comm_world;
  Setup setup{process.p2p, {}, world ? agreed_settings() : Collectives::of(*process.comm_world).settings()};
  for (int r = 0; r < comm.size; ++r) {
    const std::size_t world = std::size_t(comm.group->world_rank(r));
    const auto& node_of = process.boot->facts().node_of;
    setup.node_of.push_back(world < node_of.size() ? node_of[world] : 0);
  }
  return setup;
}

}  // namespace

bool Planned::serves(const Shape& s) const {
  if (coll != s.coll || root != s.root || count != s.count || unit_bytes != s.unit_bytes || commutes != s.commutes)
    return false;
  return !s.starts || std::equal(starts.begin(), starts.end(), s.starts);
}

Collectives::Collectives(Comm& comm, Setup setup) : comm_(comm), setup_(std::move(setup)), nodes_(setup_.node_of) {}

Collectives::~Collectives() = default;

Collectives& Collectives::of(Comm& comm) {
  if (!comm.collectives) [[unlikely]]
    comm.collectives = std::make_unique<Collectives>(comm, setup_of_process(comm));
  return static_cast<Collectives&>(*comm.collectives);
}

Shape Collectives::shape(Coll coll, int root, Count count, Count unit_bytes, bool commutes, const Count* starts) const {
  return {.coll = coll,
          .rank = comm_.rank,
          .size = comm_.size,
          .root = root,
          .remote = comm_.inter() ? comm_.remote_size() : 0,
          .count = count,
          .unit_bytes = unit_bytes,
          .starts = starts,
          .commutes = commutes,
          .nodes = &nodes_,
          .neighbours = neighbours_ ? &*neighbours_ : nullptr,
          .rates = &setup_.settings.rates};
}

Result<const comm::Neighbours*> Collectives::neighbours() {
  if (!neighbours_) neighbours_ = TRY(comm::neighbours(comm_));
  return &*neighbours_;
}

Planned& Collectives::use_plan(const Shape& s) {
  const std::uint64_t mixed = (std::uint64_t(s.count) * 31 + std::uint64_t(s.unit_bytes)) * 0x9e3779b97f4a7c15u;
  Planned*& recent = recent_[((mixed >> 32) + std::uint64_t(s.root) * 5 + std::uint64_t(s.coll)) % kSlots];
  if (!recent || !recent->serves(s)) [[unlikely]]
    recent = &find_plan(s);
  ++recent->users;
  recent->last_use = ++clock_;
  return *recent;
}

Planned& Collectives::find_plan(const Shape& s) {
  for (const auto& p : plans_)
    if (p->serves(s)) return *p;
  const Settings& settings = setup_.settings;
  const Choice choice = settings.strict && reduces(s.coll) ? choose_reproducible(s) : choose(s, settings.rules);
  tell(s, choice);
  Planned& p = room_for_plan();
  p = {.coll = s.coll,
       .root = s.root,
       .count = s.count,
       .unit_bytes = s.unit_bytes,
       .commutes = s.commutes,
       .starts = {},
       .row = choice.row,
       .algo = s.remote > 0 ? int(rows(s.coll).size()) : int(choice.row - rows(s.coll).data()),
       .plan = write_plan(*choice.row, s)};
  if (s.starts) p.starts.assign(s.starts, s.starts + s.size + 1);
  return p;
}

Planned& Collectives::room_for_plan() {
  if (plans_.size() >= kMostPlans) {
    const auto older = [](const auto& a, const auto& b) {
      return (a->users > 0) != (b->users > 0) ? a->users == 0 : a->last_use < b->last_use;
    };
    Planned& oldest = **std::min_element(plans_.begin(), plans_.end(), older);
    if (oldest.users == 0) {
      std::replace(std::begin(recent_), std::end(recent_), &oldest, static_cast<Planned*>(nullptr));
      return oldest;
    }
  }
  return *plans_.emplace_back(std::make_unique<Planned>());
}

void Collectives::tell(const Shape& s, const Choice& choice) {
  if (comm_.rank != 0) return;
  const std::uint64_t bin = std::uint64_t{1} << std::bit_width(std::uint64_t(s.bytes()));
  if (told_[int(s.coll)] & bin) return;
  told_[int(s.coll)] |= bin;
  const std::string_view name = kAlgoNames[int(s.coll)].coll;
  if (const std::uint32_t mine = 1u << int(s.coll); !choice.note.empty() && !(warned_ & mine)) {
    warned_ |= mine;
    // For the world it's news, for a part of it often only natural.
    const Level level = &comm_ == process.comm_world ? Level::kWarn : Level::kInfo;
    if (log_enabled(level, "tuning"))
      log_line(level, "tuning", "TUTTI_ALGO: %s; %s takes %s", choice.note.c_str(), describe(comm_).c_str(),
               choice.row->name);
  }
  const std::string why = choice.forced   ? text_of("forced by %s", setup_.settings.strict && reduces(s.coll) ? "TUTTI_DETERMINISM" : "TUTTI_ALGO")
                          : choice.second ? text_of("before %s with %.1f", choice.second->name, choice.second_us)
                                          : std::string("nothing else can serve");
  LOG(kInfo, "tuning", "%.*s of %lld bytes on %s (%d rank%s, %d node%s): %s, predicted %.1f us, %s", int(name.size()),
      name.data(), static_cast<long long>(s.bytes()), describe(comm_).c_str(), s.size, s.size == 1 ? "" : "s",
      s.node_count(), s.node_count() == 1 ? "" : "s", choice.row->name, choice.us, why.c_str());
}

// world/ makes communicators with tags whose top bit is set; ours have it clear.
int Collectives::next_tag(Style style) {
  constexpr int kNumberBits = 29;
  const std::uint32_t number = numbers_[int(style)]++ & ((1u << kNumberBits) - 1);
  return static_cast<int>(number | std::uint32_t(style) << kNumberBits);
}

Run& Collectives::take_run() {
  if (idle_.empty()) {
    runs_.push_back(std::make_unique<Run>(*this));
    idle_.reserve(runs_.size());
    return *runs_.back();
  }
  Run& run = *idle_.back();
  idle_.pop_back();
  return run;
}

void Collectives::give_run(Run& run) { idle_.push_back(&run); }

}  // namespace tutti::coll
