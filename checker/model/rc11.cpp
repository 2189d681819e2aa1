// SPDX-License-Identifier: MIT
// C++20's memory model as RC11 states it (Lahav, Vafeiadis, Kang, Hur, Dreyer, "Repairing
// Sequential Consistency in C/C++11", PLDI 2017), with the release sequences of C++20.
//
// What the exploration does not already guarantee is the axiom on seq_cst:
//   scb      = po | po!=loc;hb;po!=loc | hb|loc | mo | fr
//   psc_base = ([SC] | [F_SC];hb?) ; scb ; ([SC] | hb?;[F_SC])
//   psc_fence = [F_SC] ; (hb | hb;eco;hb) ; [F_SC]
//   psc_base | psc_fence is acyclic.
// A heavy fence is a seq_cst fence. A light fence, and a non-atomic addition, is one more node,
// which has the edges of psc_fence from and to heavy fences and no others. Only generating edges
// are built, those whose transitive closure is the same: the neighbour in program order instead of
// all predecessors, the next write instead of all later ones.
#include <algorithm>

#include "graph/state_section.hpp"
#include "model/digraph.hpp"
#include "model/model.hpp"
#include "model/nodes.hpp"

namespace fencepost::checker {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

struct Scratch {
  Nodes nodes;                        // the seq_cst and light events
  Array<std::uint32_t> fences;        // those of them that are fences
  Array<std::uint32_t> after;         // per node: index of the next event at another location
  Array<std::uint32_t> after_fence;   // per fence: where in eco the first access after it is
  Array<std::uint32_t> before_fence;  // ... and the last one before it
  Digraph edges;
};
FENCEPOST_CHECKER_STATE constinit Scratch scratch;

bool is_access(const Event& e) { return e.kind == Kind::read || e.kind == Kind::write; }
bool is_seq_cst(const Event& e) {
  return e.order == Order::seq_cst && (is_access(e) || e.kind == Kind::fence);
}
// Does an edge between these fences count?
bool pair(const Event& a, const Event& b) {
  if (is_light(a)) return (b.flags & kHeavy) != 0;
  return !is_light(b) || (a.flags & kHeavy) != 0;
}
bool same_location(const Event& a, const Event& b) {
  return is_access(a) && is_access(b) && Graph::overlap(a, b);
}

class Psc {
 public:
  explicit Psc(Graph& graph) : g_(graph) {}

  bool acyclic() {
    if (!collect()) return true;
    program_order();
    for (LocationId l : g_.active()) one_location(l);
    through_other_locations();
    if (!scratch.fences.empty()) fences();
    return !self_loop_ && scratch.edges.sort(scratch.nodes.size());
  }

 private:
  // Lists the nodes; false if there are too few for a cycle.
  bool collect() {
    scratch.nodes.clear();
    scratch.fences.clear();
    scratch.edges.clear();
    const bool lights = g_.may_have_heavy_fence();
    unsigned threads_with_nodes = 0;
    for (unsigned t = 0; t < g_.threads(); ++t) {
      scratch.nodes.next_thread();
      const unsigned n = g_.size(t);
      for (unsigned i = 0; i < n; ++i) {
        const Event& e = g_.at(t, i);
        const bool light = lights && is_light(e);
        if (!light && !is_seq_cst(e)) continue;
        if (light || e.kind == Kind::fence) scratch.fences.push_back(scratch.nodes.size());
        scratch.nodes.add(event_id(t, i));
      }
      if (scratch.nodes.size() != scratch.nodes.first(t)) ++threads_with_nodes;
    }
    scratch.nodes.next_thread();
    return threads_with_nodes >= 2;
  }

  void edge(std::uint32_t from, std::uint32_t to) { scratch.edges.edge(from, to); }
  std::uint32_t node_of(EventId e) const { return scratch.nodes.at_or_after(e); }

  void program_order() {
    for (unsigned t = 0; t < g_.threads(); ++t) {
      std::uint32_t previous = kNone;  // that is not light
      std::uint32_t heavy = kNone;
      for (std::uint32_t n = scratch.nodes.first(t); n < scratch.nodes.first(t + 1); ++n) {
        const Event& e = g_.at(scratch.nodes[n]);
        if (is_light(e)) {
          if (heavy != kNone) edge(heavy, n);
          continue;
        }
        if (previous != kNone) edge(previous, n);
        previous = n;
        if ((e.flags & kHeavy) == 0) continue;
        for (std::uint32_t k = n; k-- > scratch.nodes.first(t) && k != heavy;) {
          if (is_light(g_.at(scratch.nodes[k]))) edge(k, n);
        }
        heavy = n;
      }
    }
  }

  // mo, fr and hb between accesses of one location.
  void one_location(LocationId id) {
    Location& l = g_.location(id);
    std::uint32_t previous = kNone;
    for (EventId w : l.writes) {
      if (!is_seq_cst(g_.at(w))) continue;
      const std::uint32_t n = node_of(w);
      if (previous != kNone) edge(previous, n);
      previous = n;
    }
    for (EventId r : l.reads) {
      if (!is_seq_cst(g_.at(r))) continue;
      const std::uint32_t n = node_of(r);
      for (std::uint32_t k = g_.rank(g_.source(r, id), id); k < l.writes.size(); ++k) {
        if (!is_seq_cst(g_.at(l.writes[k]))) continue;
        edge(n, node_of(l.writes[k]));
        break;
      }
      // Into the read: hb from writes and reads. Writes that follow in hb follow in mo or fr.
      for (EventId w : l.writes) {
        if (is_seq_cst(g_.at(w)) && g_.happens_before(w, r)) edge(node_of(w), n);
      }
      for (EventId q : l.reads) {
        if (q != r && is_seq_cst(g_.at(q)) && g_.happens_before(q, r)) edge(node_of(q), n);
      }
    }
  }

  // po!=loc ; hb ; po!=loc
  void through_other_locations() {
    scratch.after.resize(scratch.nodes.size());
    for (std::uint32_t n = 0; n < scratch.nodes.size(); ++n) {
      const EventId a = scratch.nodes[n];
      scratch.after[n] = kNone;
      if (is_light(g_.at(a))) continue;
      std::uint32_t i = a.index() + 1;
      const std::uint32_t size = g_.size(a.thread());
      while (i < size && same_location(g_.at(a), g_.at(a.thread(), i))) ++i;
      scratch.after[n] = i < size ? i : kNone;
    }
    for (std::uint32_t n = 0; n < scratch.nodes.size(); ++n) {
      const EventId b = scratch.nodes[n];
      if (is_light(g_.at(b))) continue;
      std::uint32_t i = b.index();
      while (i > 0 && same_location(g_.at(b), g_.at(b.thread(), i - 1))) --i;
      if (i == 0) continue;
      Graph::Clock before = g_.hb(event_id(b.thread(), i - 1));
      for (unsigned t = 0; t < g_.threads(); ++t) {
        if (t == b.thread()) continue;
        for (std::uint32_t m = scratch.nodes.first(t + 1); m-- > scratch.nodes.first(t);) {
          if (scratch.after[m] == kNone || scratch.after[m] >= before[t]) continue;
          edge(m, n);
          break;
        }
      }
    }
  }

  bool before_or_at(EventId a, EventId b) const { return g_.happens_before(a, b); }

  // The last event that counts as before a fence. What counts as after it begins with the fence
  // itself, and with the read of a non-atomic addition.
  EventId last_before(EventId fence) const {
    const Event& e = g_.at(fence);
    const bool written = e.kind == Kind::read && fence.index() + 1 < g_.size(fence.thread());
    return written ? event_id(fence.thread(), fence.index() + 1) : fence;
  }

  void fences() {
    for (std::uint32_t f : scratch.fences) {
      const EventId fence = scratch.nodes[f];
      const Event& e = g_.at(fence);
      for (std::uint32_t n = 0; n < scratch.nodes.size(); ++n) {
        const EventId b = scratch.nodes[n];
        if (b.thread() == fence.thread()) continue;  // program order has it
        if (is_light(g_.at(b)) || g_.at(b).kind == Kind::fence) {
          if (pair(e, g_.at(b)) && g_.happens_before(fence, last_before(b))) edge(f, n);
          continue;
        }
        if (is_light(e)) continue;
        if (b.index() > 0 && before_or_at(fence, event_id(b.thread(), b.index() - 1))) edge(f, n);
        const EventId next = event_id(b.thread(), b.index() + 1);
        if (next.index() < g_.size(b.thread()) && before_or_at(next, fence)) edge(n, f);
      }
    }
    for (LocationId id : g_.active()) fences_around(g_.location(id), id);
  }

  // Edges from and to fences that pass through two accesses x, y of one location. Position 2k is
  // that of the k-th write in modification order, 2k + 1 that of the reads of it: eco goes from
  // lower positions to higher ones, and what counts of x is the first position after a fence, of y
  // the last one before a fence.
  void fences_around(Location& l, LocationId at) {
    const std::uint32_t accesses = l.writes.size() + l.reads.size();
    if (accesses < 2) return;
    const auto access = [&](std::uint32_t i) {
      return i < l.writes.size() ? l.writes[i] : l.reads[i - l.writes.size()];
    };
    scratch.after_fence.resize(scratch.fences.size());
    scratch.before_fence.resize(scratch.fences.size());
    for (std::uint32_t k = 0; k < scratch.fences.size(); ++k) {
      const EventId fence = scratch.nodes[scratch.fences[k]];
      Graph::Clock past = g_.hb(last_before(fence));
      std::uint32_t first = kNone;
      std::uint32_t last = 0;
      for (std::uint32_t i = 0; i < accesses; ++i) {
        const EventId x = access(i);
        if (g_.happens_before(fence, x)) first = std::min(first, position(x, at));
        if (Graph::includes(past, x)) last = std::max(last, position(x, at));
      }
      scratch.after_fence[k] = first;
      scratch.before_fence[k] = last;
    }
    for (std::uint32_t k = 0; k < scratch.fences.size(); ++k) {
      const std::uint32_t f = scratch.fences[k];
      const Event& e = g_.at(scratch.nodes[f]);
      if (scratch.after_fence[k] != kNone) {
        for (std::uint32_t j = 0; j < scratch.fences.size(); ++j) {
          const std::uint32_t h = scratch.fences[j];
          if (scratch.after_fence[k] >= scratch.before_fence[j]) continue;
          if (!pair(e, g_.at(scratch.nodes[h]))) continue;
          if (h != f) edge(f, h);
          if (h == f) self_loop_ = true;
        }
      }
      if (!is_light(e))
        fence_and_accesses(l, at, f, scratch.after_fence[k], scratch.before_fence[k]);
    }
    for (std::uint32_t i = 0; i < accesses; ++i) {
      if (is_seq_cst(g_.at(access(i)))) around_synchronisation(l, access(i));
    }
  }

  std::uint32_t position(EventId access, LocationId at) const {
    return 2 * g_.rank_of_access(access, at) + (g_.at(access).kind == Kind::read ? 1 : 0);
  }

  // fence ; hb ; x (mo | fr) y and x (mo | fr) y ; hb ; fence, for seq_cst accesses y and x. Next
  // in modification order will do, for there is an edge from each seq_cst write to the next.
  void fence_and_accesses(Location& l, LocationId at, std::uint32_t fence, std::uint32_t after,
                          std::uint32_t before) {
    if (after != kNone) {
      for (std::uint32_t k = after / 2; k < l.writes.size(); ++k) {
        if (!is_seq_cst(g_.at(l.writes[k]))) continue;
        edge(fence, node_of(l.writes[k]));
        break;
      }
    }
    std::uint32_t last = before / 2;  // the last write that may come before the fence
    while (last > 0 && !g_.happens_before(l.writes[last - 1], scratch.nodes[fence])) --last;
    if (last == 0) return;
    for (std::uint32_t k = last - 1; k-- > 0;) {
      if (!is_seq_cst(g_.at(l.writes[k]))) continue;
      edge(node_of(l.writes[k]), fence);
      break;
    }
    for (EventId r : l.reads) {
      if (is_seq_cst(g_.at(r)) && g_.rank_of_access(r, at) < last) edge(node_of(r), fence);
    }
  }

  // fence ; hb ; x hb y and x hb y ; hb ; fence, where hb comes into the seq_cst access, or leaves
  // it, by synchronisation of its own. What comes by the event before it, or leaves by the one
  // after it, is there already.
  void around_synchronisation(Location& l, EventId own) {
    const bool has_next = own.index() + 1 < g_.size(own.thread());
    const auto meets = [&](EventId other) {
      if (other == own) return;
      const bool in =
          g_.happens_before(other, own) &&
          !(own.index() > 0 && g_.happens_before(other, event_id(own.thread(), own.index() - 1)));
      const bool out =
          g_.happens_before(own, other) &&
          !(has_next && g_.happens_before(event_id(own.thread(), own.index() + 1), other));
      if (!in && !out) return;
      for (std::uint32_t f : scratch.fences) {
        const EventId fence = scratch.nodes[f];
        if (is_light(g_.at(fence))) continue;
        if (in && g_.happens_before(fence, other)) edge(f, node_of(own));
        if (out && g_.happens_before(other, fence)) edge(node_of(own), f);
      }
    };
    for (EventId w : l.writes) meets(w);
    for (EventId r : l.reads) meets(r);
  }

  Graph& g_;
  bool self_loop_ = false;
};

bool consistent(Graph& g) { return Psc(g).acyclic(); }

}  // namespace

const Model kRc11 = {"c++20", consistent,
                     "no execution has a cycle of program order and reads-from (load buffering is "
                     "not explored, though C++20 allows it)"};

}  // namespace fencepost::checker
