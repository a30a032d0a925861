// How long a collective takes on a made-up machine: all ranks' plans are run against clocks instead of data, on nodes
// that are joined by a network. Plans are written when their rank begins and kept in 16 bytes a step, so a hundred
// thousand ranks fit. Pure and deterministic; any thread.
//
// The machine. Starting a message and noticing its arrival each occupy the rank for kBusy of the link's start_us; the
// rest of start_us passes in flight. A message above Rates::eager_bytes begins only when its receive has been posted,
// needs rendezvous_us more, and its send is over when it has arrived; that of others is over at once. Inside a node
// ranks copy: of an eager message the sender copies all bytes when it sends, then the receiver when it waits; of others
// the receiver alone. Between nodes the network moves the bytes: each node has Rates::ports ways out and as many in, for
// one message at a time each and in the order in which they are ready, and a message enters its destination while it
// leaves its source. Combining and copying take the rank reduce_us a byte.
//
// Neither collectives among neighbours nor those between two groups: what they do depends on more than a Shape.
#pragma once
#include "base/err.h"
#include "coll/table.h"

namespace tutti::coll {

struct Simulated {
  double us = 0;                          // from when all begin to when the last is done
  Count steps = 0, messages = 0;          // of all ranks; a message is two steps, waits are steps too
  Count net_messages = 0, net_bytes = 0;  // between nodes
  bool formula = false;                   // us is predict(), and nothing else is known but steps
};

// With at most this many steps, counting those of nothing that plans ask for, events; with more, the row's formula.
inline constexpr Count kMostSimulatedSteps = 200'000'000;

// s.rank is not looked at. An error means that the plans are wrong: somebody waits for ever.
Result<Simulated> simulate(const Row& row, const Shape& s, Count most_steps = kMostSimulatedSteps);

// About how many steps all ranks' plans ask for, from a few of them.
Count count_steps(const Row& row, const Shape& s);

}  // namespace tutti::coll
