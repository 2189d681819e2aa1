// SPDX-License-Identifier: MIT
// C++11 and C++14 as their text has it (N4140, 29.3 and 29.8; C++17 says the same): there is one
// total order S of all seq_cst operations, consistent with happens-before and with the modification
// orders, such that
//   p3    a seq_cst load sees the last seq_cst store before it in S, or a store that is not seq_cst
//         and does not happen before that one (if there is none before it: any that is not seq_cst)
//   p4-7  for b that reads an older value than a writes, or is before a in modification order, with
//         Y a seq_cst fence sequenced before b and X one sequenced after a:
//             Y <S a if a is seq_cst (p4, 7.2), b <S X if b is (p5, 7.1), Y <S X (p6, 7.3).
// A read-modify-write is one operation. Of accesses of different sizes p3-p7 and the modification
// orders are of each byte, and S is of accesses (docs/checker/models.md). Happens-before has the
// release sequences of that time, release_sequences.hpp. Both standards allow cycles of program
// order and reads-from; these are not explored, as with c++20. Of light and heavy fences the order
// of docs/checker/models.md is kept, with
//   path = hb | po;(mo | fr);po.
//
// Does S exist? Happens-before, modification orders and p4-7 say "this before that", edges of a
// graph. So does p3 where the load reads a seq_cst store or the initial value. Where b reads
// another store w, take the seq_cst stores to its location in modification order, which is their
// order in S. Where a run of them, a1 .. an, happens after w, b is before a1 or after the store
// that follows an; if none follows, before a1. So besides edges there are alternatives of two edges
// each. If the edges allow an order in which each alternative happens to be met, that is S.
// Otherwise all alternatives that have only one way left are decided, again and again; and only if
// some remain, one way of one of them is tried and then the other. All this asks about S only where
// the text leaves something open; orders of S are not enumerated.
//
// What the exploration may go by. It needs a model in which no event that is added repairs a graph
// (prefix-closure) and newest reads and writes never spoil one (extensibility). The text gives the
// second: what is newest goes to the end of S, every edge to it points that way, the new load sees
// the last store of all, and no release sequence gets a gap. It does not give the first, twice:
//   - A store between two others makes a gap in a release sequence, and happens-before is less.
//   - "The last seq_cst store before it": another seq_cst store, that does not happen after w, may
//     come between and permit what was forbidden. That is the execution of 13 July 2020 in the
//     argument about InnoDB's mutex, study/event_mutex.
// `consistent` therefore leaves out what one of the two could mend: it takes happens-before without
// the stores that continue release sequences, which no later event takes away, and keeps p3 for
// reads of seq_cst stores, of initial values and of what was stored before there were threads, for
// everything happens after those. It implies each rule of the text in a weaker form, is a condition
// on edges between events that only depend on what is before them in program order and reads-from,
// and so has both properties. `judge` has the text in full.
#include "graph/state_section.hpp"
#include "model/digraph.hpp"
#include "model/model.hpp"
#include "model/nodes.hpp"
#include "model/release_sequences.hpp"

namespace fencepost::checker {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

// Before `first`, or after `second`; without a second, before the first.
struct Alternative {
  std::uint32_t load;
  std::uint32_t first;
  std::uint32_t second;
};

struct Scratch {
  Nodes nodes;  // seq_cst operations and lights; a read-modify-write is its read
  Array<std::uint32_t> fences;
  Array<std::uint32_t> lights;
  Array<EventId> stores;                // of one location: those that p4-7 speak of
  Array<std::uint32_t> seq_cst_stores;  // of one location: their nodes
  Array<Alternative> alternatives;
  Array<std::uint32_t> position;  // of each node in the order that was found
  Digraph before;
  ReleaseSequences sequences;
};
FENCEPOST_CHECKER_STATE constinit Scratch scratch;

bool is_access(const Event& e) { return e.kind == Kind::read || e.kind == Kind::write; }
bool is_seq_cst(const Event& e) {
  return e.order == Order::seq_cst && (is_access(e) || e.kind == Kind::fence);
}
bool is_rmw_write(const Event& e) { return e.kind == Kind::write && (e.flags & kRmw) != 0; }

class SingleOrder {
 public:
  // `whole`: the text in full, of a graph whose release sequences have been worked out.
  SingleOrder(Graph& graph, bool whole) : g_(graph), whole_(whole) {}

  Judgement judge() {
    if (!collect()) return Judgement::admitted;
    happens_before();
    for (LocationId l : g_.active()) one_location(l);
    if (!scratch.before.sort(scratch.nodes.size())) return Judgement::forbidden;
    return solve() ? Judgement::admitted : Judgement::wants_store;
  }

 private:
  // ---- the operations

  // Lists the nodes; false if they are all of one thread, in whose order they are then.
  bool collect() {
    scratch.nodes.clear();
    scratch.fences.clear();
    scratch.lights.clear();
    scratch.alternatives.clear();
    scratch.before.clear();
    const bool lights = g_.may_have_heavy_fence();
    unsigned threads_with_nodes = 0;
    for (unsigned t = 0; t < g_.threads(); ++t) {
      scratch.nodes.next_thread();
      for (unsigned i = 0; i < g_.size(t); ++i) {
        const Event& e = g_.at(t, i);
        const bool light = lights && is_light(e);
        if (!light && (!is_seq_cst(e) || is_rmw_write(e))) continue;
        if (light) scratch.lights.push_back(scratch.nodes.size());
        if (e.kind == Kind::fence && !light) scratch.fences.push_back(scratch.nodes.size());
        scratch.nodes.add(event_id(t, i));
      }
      if (scratch.nodes.size() != scratch.nodes.first(t)) ++threads_with_nodes;
    }
    scratch.nodes.next_thread();
    return threads_with_nodes >= 2;
  }

  const Event& event(std::uint32_t node) const { return g_.at(scratch.nodes[node]); }
  std::uint32_t node_of(EventId e) const {
    if (is_rmw_write(g_.at(e))) e = event_id(e.thread(), g_.at(e).rmw_read);
    return scratch.nodes.at_or_after(e);
  }
  bool is_light_node(std::uint32_t node) const {
    return !scratch.lights.empty() && is_light(event(node));
  }
  bool is_heavy(std::uint32_t node) const { return (event(node).flags & kHeavy) != 0; }
  void edge(std::uint32_t from, std::uint32_t to) { scratch.before.edge(from, to); }

  // Does every other event happen after this write, also those that are still to come? It does if
  // the main thread creates threads only later.
  bool comes_first(EventId w) {
    if (w == kInitial) return true;
    if (w.thread() != 0) return false;
    if (first_create_ == kNone) {
      first_create_ = 0;
      for (std::uint32_t i = 0; i < g_.size(0) && first_create_ == 0; ++i) {
        if (g_.at(0, i).kind == Kind::create) first_create_ = i;
      }
    }
    return w.index() < first_create_;
  }

  Graph::Clock hb(EventId e) const { return whole_ ? scratch.sequences.hb(e) : g_.hb(e); }

  // ---- consistent with happens-before

  void happens_before() {
    std::uint32_t seen[kMaxThreads];
    for (unsigned t = 0; t < g_.threads(); ++t) {
      for (unsigned u = 0; u < g_.threads(); ++u) seen[u] = kNone;
      std::uint32_t previous = kNone;
      for (std::uint32_t n = scratch.nodes.first(t); n < scratch.nodes.first(t + 1); ++n) {
        if (is_light_node(n)) continue;
        if (previous != kNone) edge(previous, n);
        previous = n;
        Graph::Clock clock = hb(scratch.nodes[n]);
        for (unsigned u = 0; u < g_.threads(); ++u) {
          if (u == t) continue;
          std::uint32_t m = scratch.nodes.at_or_after(event_id(u, clock[u]));
          while (m > scratch.nodes.first(u) && is_light_node(m - 1)) --m;
          if (m == scratch.nodes.first(u) || m - 1 == seen[u]) continue;
          seen[u] = m - 1;
          edge(m - 1, n);
        }
      }
    }
    for (std::uint32_t light : scratch.lights) {
      for (std::uint32_t heavy : scratch.fences) {
        if (!is_heavy(heavy)) continue;
        const EventId h = scratch.nodes[heavy];
        if (Graph::includes(hb(last_of(light)), h)) edge(heavy, light);
        if (Graph::includes(hb(h), scratch.nodes[light])) edge(light, heavy);
      }
    }
  }

  // The last event of a light point: what is before that is before the whole.
  EventId last_of(std::uint32_t light) const {
    const EventId e = scratch.nodes[light];
    const bool written = event(light).kind == Kind::read && e.index() + 1 < g_.size(e.thread());
    return written ? event_id(e.thread(), e.index() + 1) : e;
  }

  // ---- consistent with a modification order, p3-p7

  void one_location(LocationId at) {
    Location& l = g_.location(at);
    scratch.seq_cst_stores.clear();
    for (EventId w : l.writes) {
      if (!is_seq_cst(g_.at(w))) continue;
      const std::uint32_t n = node_of(w);
      if (!scratch.seq_cst_stores.empty()) edge(scratch.seq_cst_stores.back(), n);
      scratch.seq_cst_stores.push_back(n);
    }
    for (EventId r : l.reads) {
      if (is_seq_cst(g_.at(r))) load(r, at);
    }
    if (!scratch.fences.empty()) between_fences(l, at);
  }

  std::uint32_t rank_of_store(std::uint32_t node, LocationId at) const {
    EventId e = scratch.nodes[node];
    if (g_.at(e).kind != Kind::write) e = event_id(e.thread(), e.index() + 1);
    return g_.rank(e, at);
  }

  // p3
  void load(EventId r, LocationId at) {
    const EventId w = g_.source(r, at);
    const std::uint32_t n = node_of(r);
    const Array<std::uint32_t>& stores = scratch.seq_cst_stores;
    std::uint32_t next = 0;  // the first store after w
    while (next < stores.size() && rank_of_store(stores[next], at) <= g_.rank(w, at)) ++next;
    if (w != kInitial && is_seq_cst(g_.at(w))) {
      edge(node_of(w), n);
      if (next < stores.size()) edge(n, stores[next]);
      return;
    }
    if (comes_first(w)) {
      if (next < stores.size()) edge(n, stores[next]);
      return;
    }
    // A read-modify-write is next to w in modification order, which settles it.
    if (!whole_ || succeeds(g_.at(r))) return;
    const auto after_w = [&](std::uint32_t store) {
      const EventId e = scratch.nodes[store];
      return Graph::includes(hb(e), w);
    };
    for (std::uint32_t i = next; i < stores.size(); ++i) {
      if (!after_w(stores[i])) continue;
      const std::uint32_t first = stores[i];
      while (i < stores.size() && after_w(stores[i])) ++i;
      scratch.alternatives.push_back({n, first, i < stores.size() ? stores[i] : kNone});
    }
  }

  // p4-p7
  void between_fences(Location& l, LocationId at) {
    scratch.stores.clear();
    for (EventId w : l.writes) {
      if (is_seq_cst(g_.at(w)) || fence_after(w) != kNone || !scratch.lights.empty()) {
        scratch.stores.push_back(w);
      }
    }
    if (scratch.stores.empty()) return;
    for (std::uint32_t i = 0; i < l.writes.size() + l.reads.size(); ++i) {
      overtaken(i < l.writes.size() ? l.writes[i] : l.reads[i - l.writes.size()], at);
    }
  }

  // The seq_cst fence of its thread that is next after an event, and the last before it.
  std::uint32_t fence_after(EventId e) const {
    std::uint32_t n = scratch.nodes.at_or_after(e);
    const std::uint32_t end = scratch.nodes.first(e.thread() + 1);
    while (n < end && (event(n).kind != Kind::fence || is_light_node(n))) ++n;
    return n < end ? n : kNone;
  }
  std::uint32_t fence_before(EventId e) const {
    std::uint32_t n = scratch.nodes.at_or_after(e);
    while (n > scratch.nodes.first(e.thread())) {
      --n;
      if (event(n).kind == Kind::fence && !is_light_node(n)) return n;
    }
    return kNone;
  }

  // All stores that b is before in modification order, or reads an older value than.
  void overtaken(EventId b, LocationId at) {
    const Event& e = g_.at(b);
    const std::uint32_t fence = fence_before(b);
    const std::uint32_t access = is_seq_cst(e) ? node_of(b) : kNone;
    if (fence == kNone && access == kNone && scratch.lights.empty()) return;
    const std::uint32_t rank = g_.rank_of_access(b, at);
    bool first_store = true;
    for (EventId a : scratch.stores) {
      if (g_.rank(a, at) <= rank) continue;
      if (first_store && fence != kNone && is_seq_cst(g_.at(a))) {
        edge(fence, node_of(a));
        first_store = false;  // the others are after this one
      }
      const std::uint32_t other = fence_after(a);
      if (other != kNone && access != kNone) edge(access, other);
      if (other != kNone && fence != kNone) edge(fence, other);
      if (!scratch.lights.empty()) between_asymmetric(b, a);
    }
  }

  // The same between a light point and a heavy fence.
  void between_asymmetric(EventId b, EventId a) {
    const auto before = [](EventId x, EventId y) {
      return x.thread() == y.thread() && x.index() <= y.index();
    };
    for (std::uint32_t light : scratch.lights) {
      const bool light_before_b = before(scratch.nodes[light], b);
      const bool light_after_a = before(a, last_of(light));
      if (!light_before_b && !light_after_a) continue;
      for (std::uint32_t heavy : scratch.fences) {
        if (!is_heavy(heavy)) continue;
        if (light_before_b && before(a, scratch.nodes[heavy])) edge(light, heavy);
        if (light_after_a && before(scratch.nodes[heavy], b)) edge(heavy, light);
      }
    }
  }

  // ---- the search for S

  bool met(const Alternative& a) const {
    const Array<std::uint32_t>& at = scratch.position;
    return at[a.load] < at[a.first] || (a.second != kNone && at[a.second] < at[a.load]);
  }

  // Is there an order along the edges that meets every alternative? The nodes have been sorted.
  bool solve() {
    if (scratch.alternatives.empty()) return true;
    Digraph& before = scratch.before;
    for (bool decided = true; decided;) {
      decided = false;
      const Array<std::uint32_t>& order = before.order();
      scratch.position.resize(order.size());
      for (std::uint32_t i = 0; i < order.size(); ++i) scratch.position[order[i]] = i;
      bool all_met = true;
      for (const Alternative& a : scratch.alternatives) {
        if (met(a)) continue;
        all_met = false;
        // The order found has first < load < second; is it so in every order?
        if (a.second == kNone || before.leads(a.load, a.second)) {
          edge(a.load, a.first);
          decided = true;
        } else if (before.leads(a.first, a.load)) {
          edge(a.second, a.load);
          decided = true;
        }
      }
      if (all_met) return true;
      if (decided && !before.sort(scratch.nodes.size())) return false;
    }
    for (const Alternative& a : scratch.alternatives) {
      if (met(a)) continue;
      const Alternative open = a;
      const std::uint32_t edges = before.edges();
      edge(open.load, open.first);
      if (before.sort(scratch.nodes.size()) && solve()) return true;
      before.take_back(edges);
      edge(open.second, open.load);
      if (before.sort(scratch.nodes.size()) && solve()) return true;
      before.take_back(edges);
      return false;
    }
    return true;
  }

  Graph& g_;
  const bool whole_;
  std::uint32_t first_create_ = kNone;  // 0: there is none
};

bool consistent(Graph& g) { return SingleOrder(g, false).judge() == Judgement::admitted; }

Judgement judge(Graph& g) {
  scratch.sequences.of(g);
  if (!scratch.sequences.coherent()) return Judgement::forbidden;
  return SingleOrder(g, true).judge();
}

Graph::Clock clock(EventId e) { return scratch.sequences.hb(e); }

}  // namespace

const Model kCpp14 = {
    "c++14", consistent,
    "no execution has a cycle of program order and reads-from (load buffering is not explored, "
    "though C++14 allows it)",
    judge, clock};

}  // namespace fencepost::checker
