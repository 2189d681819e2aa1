// SPDX-License-Identifier: MIT
// Is the graph an execution, looked at as a whole? Where the search has built it from the beginning
// it is; where it goes on from what somebody else wrote down (search/checkpoint.hpp), this is what
// it may lack before anything is said against the program.
#include "explore/explorer.hpp"
#include "explore/lock_order.hpp"

namespace fencepost::checker {
namespace {

bool is_coherent(Graph& g, EventId access) {
  if (access.index() == 0) return true;
  const Event& e = g.at(access);
  const auto before = g.hb(event_id(access.thread(), access.index() - 1));
  for (LocationId at = e.location; at <= e.location + e.more; ++at) {
    const std::uint32_t lowest = g.lowest_rank(at, before);
    if (e.kind == Kind::read) {
      if (g.rank(g.source(access, at), at) < lowest) return false;
      continue;
    }
    if (g.rank(access, at) <= lowest) return false;
    if ((e.flags & kRmw) == 0) continue;
    const EventId source = g.source(event_id(access.thread(), e.rmw_read), at);
    if (g.rank(access, at) != g.rank(source, at) + 1) return false;
  }
  return true;
}

}  // namespace

bool Explorer::is_execution() {
  Graph& g = graph();
  for (unsigned t = 0; t < g.threads(); ++t) {
    for (unsigned i = 0; i < g.size(t); ++i) {
      const Event& e = g.at(t, i);
      const bool access = e.kind == Kind::read || e.kind == Kind::write;
      if (access && !is_coherent(g, event_id(t, i))) return false;
    }
  }
  return consistent(g);
}

}  // namespace fencepost::checker
