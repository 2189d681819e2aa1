// SPDX-License-Identifier: MIT
// Mutexes and spin locks. Who comes to one that is held makes no event until it is free, or nobody
// else can go on (execution/threads/scheduling.cpp); so who takes it next reads the newest write.
// The other orders: whoever comes to take a lock may do so before one that is in the graph. That
// one and all that was added since goes, but for what the newcomer depends on, and its thread will
// wait for its turn again.
//
// As with revisits, of all graphs that would become the same, one does so: the one in which all
// that goes was added maximally. The newcomer counts as not added maximally from then on, for
// nothing in the graph says any more whom it has overtaken.
#include "explore/explorer.hpp"

namespace fencepost::checker {

// `read` has just been added, and the newest write is its source.
bool Explorer::may_overtake(EventId read, EventId source, EventId rival) {
  Graph& g = graph();
  const EventId newest = g.at(read).from;
  g.set_source(read, source);
  Graph::Clock kept = g.porf(read);
  const std::uint32_t stamp = g.at(rival).stamp;
  bool is_maximal = true;
  for (unsigned t = 0; t < g.threads() && is_maximal; ++t) {
    for (std::uint32_t i = g.size(t); i-- > kept[t] && is_maximal;) {
      const EventId e = event_id(t, i);
      if (g.at(e).stamp < stamp) break;
      is_maximal = added_maximally(e, read, kept);
    }
  }
  g.set_source(read, newest);
  return is_maximal;
}

bool Explorer::overtake(const Item& item) {
  const EventId read = item.event;
  const EventId source{item.argument};
  Graph& old = graph();
  const std::uint32_t stamp = old.at(old.rmw_reader(old.at(read).location, source, read)).stamp;
  old.set_source(read, source);
  take_back(stamp, old.porf(read));
  graph().at(read).flags |= kOvertook;
  return reads_coherently(read) && consistent(graph());
}

}  // namespace fencepost::checker
