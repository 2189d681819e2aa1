// SPDX-License-Identifier: MIT
// Puts the events of a graph into one order in which each write follows the write before it in
// modification order and everyone who read that one. With store buffers this is x86-TSO, without
// them it is sequential consistency. The order exists if and only if the relation is acyclic, and a
// greedy attempt finds it.
//
// Light fences order by paths that they share with heavy ones: what is forbidden is a cycle in
// which a heavy fence stands between any two light ones. So where there are heavy fences the events
// are put into order twice, as two layers of one relation. A path that comes to a light fence in
// layer 0 may go on behind it in layer 1, where no light fence is passed; a heavy fence leads back
// to layer 0. A cycle of the two layers together is a cycle of that kind.
#pragma once

#include "graph/graph.hpp"

namespace fencepost::checker {

// `several`: there may be accesses of several locations.
template <bool several, typename Buffered, typename Drains>
bool has_linear_order(Graph& g, Buffered buffered, Drains drains) {
  struct Cursor {
    std::uint32_t issued;     // events that have happened, as their thread sees it
    std::uint32_t committed;  // writes below this index are in memory
  };
  Cursor layers[2][kMaxThreads];
  const unsigned threads = g.threads();
  const unsigned layer_count = g.may_have_heavy_fence() ? 2 : 1;
  for (unsigned n = 0; n < layer_count; ++n) {
    for (unsigned t = 0; t < threads; ++t) layers[n][t] = {0, 0};
  }
  Cursor* cursors = layers[0];

  const auto in_memory = [&](EventId w) {
    return w == kInitial || w.index() < cursors[w.thread()].committed;
  };
  const auto done = [&](EventId e) { return e.index() < cursors[e.thread()].issued; };
  const auto may_commit = [&](EventId w) {
    const Event& e = g.at(w);
    const LocationId last = several ? e.location + e.more : e.location;
    for (LocationId at = e.location; at <= last; ++at) {
      Location& l = g.location(at);
      const std::uint32_t place = several ? g.rank(w, at) - 1 : e.mo;
      const EventId before = place == 0 ? kInitial : l.writes[place - 1];
      if (!in_memory(before)) return false;
      for (EventId r : l.reads) {
        if (!done(r) && (several ? g.source(r, at) : g.at(r).from) == before) return false;
      }
    }
    return true;
  };
  const auto may_read = [&](EventId r) {
    const Event& e = g.at(r);
    const LocationId last = several ? e.location + e.more : e.location;
    for (LocationId at = e.location; at <= last; ++at) {
      const EventId w = several ? g.source(r, at) : e.from;
      if (!in_memory(w) && w.thread() != r.thread()) return false;
    }
    return true;
  };
  // May thread t pass this fence, or begin this addition, with regard to the other layer?
  const auto follows_other_layer = [&](unsigned t, unsigned index, const Event& e) {
    if (cursors == layers[0]) return (e.flags & kHeavy) == 0 || layers[1][t].committed >= index;
    if (!is_light(e)) return true;
    std::uint32_t before = index;
    if (e.kind == Kind::read) before = index + 1 < g.size(t) ? index + 2 : index + 1;
    return layers[0][t].committed >= before;
  };

  // Lets thread t go one step further in its layer; false if it cannot.
  const auto step = [&](unsigned t) {
    Cursor& c = cursors[t];
    if (c.committed < c.issued) {
      const Event& oldest = g.at(t, c.committed);
      if (oldest.kind != Kind::write || !buffered(oldest) || may_commit(event_id(t, c.committed))) {
        ++c.committed;
        return true;
      }
    }
    if (c.issued == g.size(t)) return false;
    const Event& e = g.at(t, c.issued);
    bool ready = !drains(e) || c.committed == c.issued;
    switch (e.kind) {
      case Kind::read:
        ready = ready && may_read(event_id(t, c.issued));
        break;
      case Kind::begin:
      case Kind::join:
        ready = ready && in_memory(e.from);
        break;
      case Kind::write:
        ready = ready && (buffered(e) || may_commit(event_id(t, c.issued)));
        break;
      default:
        break;
    }
    if (layer_count == 2) ready = ready && follows_other_layer(t, c.issued, e);
    if (ready) ++c.issued;
    return ready;
  };

  for (bool moved = true; moved;) {
    moved = false;
    for (unsigned n = 0; n < layer_count; ++n) {
      cursors = layers[n];
      for (unsigned t = 0; t < threads; ++t) {
        while (step(t)) moved = true;
      }
    }
  }
  for (unsigned n = 0; n < layer_count; ++n) {
    for (unsigned t = 0; t < threads; ++t) {
      if (layers[n][t].committed != g.size(t)) return false;
    }
  }
  return true;
}

// `buffered`: may this write wait while later reads of its thread go ahead?
// `drains`: does this event wait until the writes before it are in memory?
template <typename Buffered, typename Drains>
bool linearizable(Graph& g, Buffered buffered, Drains drains) {
  return g.may_have_mixed_sizes() ? has_linear_order<true>(g, buffered, drains)
                                  : has_linear_order<false>(g, buffered, drains);
}

}  // namespace fencepost::checker
