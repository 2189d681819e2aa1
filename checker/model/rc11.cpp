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
#include "graph/state_section.hpp"
#include "model/digraph.hpp"
#include "model/model.hpp"
#include "model/nodes.hpp"

namespace fencepost::checker {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

struct Scratch {
  Nodes nodes;                  // the seq_cst and light events
  Array<std::uint32_t> fences;  // those of them that are fences
  Array<std::uint32_t> after;   // per node: index of the next event at another location
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

  // x (mo | fr) y, in this location
  bool overtaken(EventId x, EventId y, LocationId at) {
    return g_.at(y).kind == Kind::write && g_.rank_of_access(y, at) > g_.rank_of_access(x, at);
  }

  // x eco y for two different accesses of one location
  bool eco(EventId x, EventId y, LocationId at) {
    if (x == y) return false;
    const std::uint32_t rank_x = g_.rank_of_access(x, at);
    const std::uint32_t rank_y = g_.rank_of_access(y, at);
    if (g_.at(x).kind == Kind::write && g_.at(y).kind == Kind::read) return rank_x <= rank_y;
    return rank_x < rank_y;
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
    for (LocationId id : g_.active()) {
      Location& l = g_.location(id);
      for (std::uint32_t i = 0; i < l.writes.size() + l.reads.size(); ++i) {
        const EventId x = i < l.writes.size() ? l.writes[i] : l.reads[i - l.writes.size()];
        for (std::uint32_t j = 0; j < l.writes.size() + l.reads.size(); ++j) {
          const EventId y = j < l.writes.size() ? l.writes[j] : l.reads[j - l.writes.size()];
          if (x != y) fences_around(x, y, id);
        }
      }
    }
  }

  // Edges that pass through the accesses x and y of one location.
  void fences_around(EventId x, EventId y, LocationId at) {
    const bool related = overtaken(x, y, at) || g_.happens_before(x, y);
    const bool communicate = eco(x, y, at);
    if (!related && !communicate) return;
    const bool x_seq_cst = is_seq_cst(g_.at(x));
    const bool y_seq_cst = is_seq_cst(g_.at(y));
    for (std::uint32_t f : scratch.fences) {
      const EventId fence = scratch.nodes[f];
      const Event& e = g_.at(fence);
      if (g_.happens_before(fence, x)) {
        if (related && y_seq_cst && !is_light(e)) edge(f, node_of(y));
        if (!communicate) continue;
        for (std::uint32_t h : scratch.fences) {
          const EventId other = scratch.nodes[h];
          if (!pair(e, g_.at(other)) || !g_.happens_before(y, last_before(other))) continue;
          if (h != f) edge(f, h);
          if (h == f) self_loop_ = true;
        }
      }
      if (related && x_seq_cst && !is_light(e) && g_.happens_before(y, fence)) edge(node_of(x), f);
    }
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
