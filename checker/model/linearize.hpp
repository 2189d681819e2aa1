// SPDX-License-Identifier: MIT
// Puts the events of a graph into one order in which each write follows the write before it in
// modification order and everyone who read that one. With store buffers this is x86-TSO, without
// them it is sequential consistency. The order exists if and only if the relation is acyclic, and a
// greedy attempt finds it.
#pragma once

#include "graph/graph.hpp"

namespace fencepost::checker {

// `buffered`: may this write wait while later reads of its thread go ahead?
// `drains`: does this event wait until the writes before it are in memory?
template <typename Buffered, typename Drains>
bool linearizable(Graph& g, Buffered buffered, Drains drains) {
  struct Cursor {
    std::uint32_t issued;     // events that have happened, as their thread sees it
    std::uint32_t committed;  // writes below this index are in memory
  };
  Cursor cursors[kMaxThreads];
  const unsigned threads = g.threads();
  for (unsigned t = 0; t < threads; ++t) cursors[t] = {0, 0};

  const auto in_memory = [&](EventId w) {
    return w == kInitial || w.index() < cursors[w.thread()].committed;
  };
  const auto done = [&](EventId e) { return e.index() < cursors[e.thread()].issued; };
  const auto may_commit = [&](const Event& w) {
    Location& l = g.location(w.location);
    const EventId before = w.mo == 0 ? kInitial : l.writes[w.mo - 1];
    if (!in_memory(before)) return false;
    for (EventId r : l.reads) {
      if (g.at(r).from == before && !done(r)) return false;
    }
    return true;
  };

  // Lets thread t go one step further; false if it cannot.
  const auto step = [&](unsigned t) {
    Cursor& c = cursors[t];
    if (c.committed < c.issued) {
      const Event& oldest = g.at(t, c.committed);
      if (oldest.kind != Kind::write || !buffered(oldest) || may_commit(oldest)) {
        ++c.committed;
        return true;
      }
    }
    if (c.issued == g.size(t)) return false;
    const Event& e = g.at(t, c.issued);
    bool ready = !drains(e) || c.committed == c.issued;
    switch (e.kind) {
      case Kind::read:
        ready = ready && (in_memory(e.from) || e.from.thread() == t);
        break;
      case Kind::begin:
      case Kind::join:
        ready = ready && (e.from == kInitial || done(e.from));
        break;
      case Kind::write:
        ready = ready && (buffered(e) || may_commit(e));
        break;
      default:
        break;
    }
    if (ready) ++c.issued;
    return ready;
  };

  for (bool moved = true; moved;) {
    moved = false;
    for (unsigned t = 0; t < threads; ++t) {
      while (step(t)) moved = true;
    }
  }
  for (unsigned t = 0; t < threads; ++t) {
    if (cursors[t].committed != g.size(t)) return false;
  }
  return true;
}

}  // namespace fencepost::checker
