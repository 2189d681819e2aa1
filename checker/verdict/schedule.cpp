// SPDX-License-Identifier: MIT
#include "verdict/schedule.hpp"

#include "graph/state_section.hpp"

namespace fencepost::checker::report {
namespace {

// Beyond this many events nobody looks ahead.
constexpr unsigned kManyEvents = 400;

// What it costs to tell a write before one that its location's order puts first, and to tell it
// before a read that does not see it: that is the easier to follow.
constexpr std::uint64_t kOrderCost = 100;
constexpr std::uint64_t kStaleCost = 1;

// Of each thread, how many events have been performed, and how many of those no longer wait in the
// store buffer, they and what they wrote.
struct At {
  std::uint32_t issued[kMaxThreads];
  std::uint32_t committed[kMaxThreads];
  unsigned current;
};

// Of the events of each thread, in the order as it is followed most easily. (A class, and not an
// array of arrays: what would destroy that at exit is told from the program's own by its object.)
struct Places {
  Array<std::uint32_t> of[kMaxThreads];
};
FENCEPOST_CHECKER_STATE constinit Places place;

// Both ways to put events into order: what they have in common.
class Order {
 public:
  explicit Order(Graph& g) : g_(g) {}

 protected:
  // One after the last event of the operation that thread t does next.
  std::uint32_t end_of_next(const At& at, unsigned t) const {
    std::uint32_t end = at.issued[t];
    while (end + 1 < g_.size(t) && is_undivided(g_.at(t, end))) ++end;
    return end + 1;
  }
  // Does the operation go on after this event, with nothing in between?
  static bool is_undivided(const Event& e) {
    return is_unfinished(e) && (e.flags & kNonatomic) == 0;
  }
  bool has_next(const At& at, unsigned t) const { return at.issued[t] < g_.size(t); }

  static bool is_issued(const At& at, EventId e) {
    return e == kInitial || e.index() < at.issued[e.thread()];
  }

  // Calls `f` with the write before this one in the modification order of each of its locations.
  template <typename F>
  void each_before(EventId write, const F& f) const {
    const Event& e = g_.at(write);
    for (LocationId at = e.location; at <= e.location + e.more; ++at) {
      const std::uint32_t rank = g_.rank(write, at);
      f(at, rank == 1 ? kInitial : g_.location(at).writes[rank - 2]);
    }
  }

  Graph& g_;
};

// ---- as it is followed most easily

class Telling : Order {
 public:
  Telling(Graph& g, bool carefully) : Order(g), carefully_(carefully) {}

  void tell_all(Array<std::uint32_t>* told) {
    At at = {};
    while (const Choice chosen = next(at, carefully_)) {
      for (std::uint32_t i = at.issued[chosen.thread]; i < chosen.end; ++i) {
        told->push_back(event_id(chosen.thread, i).raw);
      }
      take(&at, chosen);
    }
  }

 private:
  struct Choice {
    unsigned thread = kMaxThreads;
    std::uint32_t end = 0;
    std::uint64_t price = 0;
    explicit operator bool() const { return thread != kMaxThreads; }
  };

  static void take(At* at, const Choice& c) {
    at->issued[c.thread] = c.end;
    at->current = c.thread;
  }

  Choice next(const At& at, bool carefully) const {
    Choice best;
    unsigned ready = 0;
    for (unsigned k = 0; k < g_.threads(); ++k) {
      const unsigned t = k == 0 ? at.current : k <= at.current ? k - 1 : k;
      if (!is_ready(at, t)) continue;
      const std::uint32_t end = end_of_next(at, t);
      const Choice one{t, end, price(at, t, end)};
      ++ready;
      // To join can wait: it says nothing that a reader is after.
      if (k == 0 && one.price == 0 && !joins(at, t)) return one;
      if (!best || comes_before(at, one, best)) best = one;
    }
    if (!carefully || best.price == 0 || ready < 2) return best;
    Choice least;
    std::uint64_t least_price = 0;
    for (unsigned t = 0; t < g_.threads(); ++t) {
      if (!is_ready(at, t)) continue;
      const std::uint32_t end = end_of_next(at, t);
      const Choice one{t, end, price(at, t, end)};
      const std::uint64_t whole = price_of_all(at, one);
      if (!least || whole < least_price || (whole == least_price && comes_before(at, one, least))) {
        least = one;
        least_price = whole;
      }
    }
    return least;
  }

  // What is paid to the end if this one is told now and the cheapest from then on.
  std::uint64_t price_of_all(At at, Choice one) const {
    std::uint64_t paid = 0;
    for (; one; one = next(at, false)) {
      paid += one.price;
      take(&at, one);
    }
    return paid;
  }

  bool comes_before(const At& at, const Choice& a, const Choice& b) const {
    if (a.price != b.price) return a.price < b.price;
    if (joins(at, a.thread) != joins(at, b.thread)) return joins(at, b.thread);
    if ((a.thread == at.current) != (b.thread == at.current)) return a.thread == at.current;
    return a.thread < b.thread;
  }

  bool joins(const At& at, unsigned t) const { return g_.at(t, at.issued[t]).kind == Kind::join; }

  bool is_ready(const At& at, unsigned t) const {
    if (!has_next(at, t)) return false;
    bool ready = true;
    for (std::uint32_t i = at.issued[t]; i < end_of_next(at, t); ++i) {
      const Event& e = g_.at(t, i);
      const auto is_there = [&](EventId from) {
        ready = ready && (is_issued(at, from) || from.thread() == t);
      };
      if (e.kind == Kind::begin || e.kind == Kind::join) is_there(e.from);
      if (e.kind == Kind::read) g_.each_source(event_id(t, i), is_there);
    }
    return ready;
  }

  std::uint64_t price(const At& at, unsigned t, std::uint32_t end) const {
    std::uint64_t sum = 0;
    for (std::uint32_t i = at.issued[t]; i < end; ++i) {
      if (g_.at(t, i).kind != Kind::write) continue;
      const auto is_told = [&](EventId e) {
        return is_issued(at, e) || (e.thread() == t && e.index() < end);
      };
      each_before(event_id(t, i), [&](LocationId where, EventId before) {
        if (!is_told(before)) sum += kOrderCost;
        for (const EventId r : g_.location(where).reads) {
          if (!is_told(r) && g_.source(r, where) == before) sum += kStaleCost;
        }
      });
    }
    return sum;
  }

  bool carefully_;
};

// ---- as the machine performs it

class Machine : Order {
 public:
  Machine(Graph& g, const Model& model, bool carefully)
      : Order(g), model_(model), carefully_(carefully) {}

  // Keeps to the order of `place` where it can. `performed(at, t, first, end)` is told of each
  // operation, before any store leaves its buffer.
  template <typename F>
  bool run(At at, unsigned* waited, bool carefully, const F& performed) const {
    for (unsigned t; (t = next(at, carefully)) != kMaxThreads;) {
      const std::uint32_t first = at.issued[t];
      *waited += perform(&at, t);
      performed(at, t, first);
      drain(&at);
    }
    for (unsigned t = 0; t < g_.threads(); ++t) {
      if (at.committed[t] != g_.size(t)) return false;
    }
    return true;
  }

  template <typename F>
  bool run(const F& performed) const {
    unsigned waited = 0;
    return run(At{}, &waited, carefully_, performed);
  }

  // Is this a store that has not left its buffer?
  bool is_waiting(const At& at, unsigned t, std::uint32_t i) const {
    const Event& e = g_.at(t, i);
    return i >= at.committed[t] && e.kind == Kind::write && model_.buffered(e);
  }

 private:
  unsigned next(const At& at, bool carefully) const {
    unsigned best = kMaxThreads;
    unsigned ready = 0;
    for (unsigned t = 0; t < g_.threads(); ++t) {
      if (!is_ready(at, t)) continue;
      ++ready;
      if (best == kMaxThreads || comes_before(at, t, best)) best = t;
    }
    if (!carefully || ready < 2 || !must_wait(at, best)) return best;
    unsigned least = kMaxThreads;
    unsigned least_waited = 0;
    for (unsigned t = 0; t < g_.threads(); ++t) {
      if (!is_ready(at, t)) continue;
      const unsigned waited = waited_in_all(at, t);
      if (least == kMaxThreads || waited < least_waited ||
          (waited == least_waited && comes_before(at, t, least))) {
        least = t;
        least_waited = waited;
      }
    }
    return least;
  }

  // How many stores have to wait in the end if this thread goes on now.
  unsigned waited_in_all(At at, unsigned t) const {
    unsigned waited = perform(&at, t);
    drain(&at);
    run(at, &waited, false, [](const At&, unsigned, std::uint32_t) {});
    return waited;
  }

  bool comes_before(const At& at, unsigned a, unsigned b) const {
    if (must_wait(at, a) != must_wait(at, b)) return must_wait(at, b);
    if (is_heavy(at, a) != is_heavy(at, b)) return is_heavy(at, b);
    return place.of[a][at.issued[a]] < place.of[b][at.issued[b]];
  }

  // It empties all buffers: it comes when as little waits there as can be.
  bool is_heavy(const At& at, unsigned t) const {
    return (g_.at(t, at.issued[t]).flags & kHeavy) != 0;
  }

  // What thread t does next; returns how many stores have to wait for it.
  unsigned perform(At* at, unsigned t) const {
    const bool waits = must_wait(*at, t);
    const bool all_committed = at->committed[t] == at->issued[t];
    at->issued[t] = end_of_next(*at, t);
    if (all_committed && !waits) at->committed[t] = at->issued[t];
    return waits ? 1 : 0;
  }

  // Is there a store in what thread t does next that cannot go to memory at once?
  bool must_wait(const At& at, unsigned t) const {
    const std::uint32_t end = end_of_next(at, t);
    for (std::uint32_t i = at.issued[t]; i < end; ++i) {
      const Event& e = g_.at(t, i);
      if (e.kind != Kind::write || !model_.buffered(e)) continue;
      if (at.committed[t] != at.issued[t] || !may_reach_memory(at, event_id(t, i), end))
        return true;
    }
    return false;
  }

  bool is_ready(const At& at, unsigned t) const {
    if (!has_next(at, t)) return false;
    const std::uint32_t end = end_of_next(at, t);
    for (std::uint32_t i = at.issued[t]; i < end; ++i) {
      const Event& e = g_.at(t, i);
      const EventId id = event_id(t, i);
      if (model_.drains(e) && at.committed[t] != at.issued[t]) return false;
      bool may = true;
      const auto is_in_memory = [&](EventId from) {
        return from == kInitial || from.index() < at.committed[from.thread()];
      };
      if (e.kind == Kind::begin || e.kind == Kind::join) may = is_in_memory(e.from);
      if (e.kind == Kind::read) {
        g_.each_source(id, [&](EventId w) { may = may && (w.thread() == t || is_in_memory(w)); });
      }
      if (e.kind == Kind::write && !model_.buffered(e)) may = may_reach_memory(at, id, end);
      if (!may) return false;
    }
    return true;
  }

  // `end`: what its own thread has done by then.
  bool may_reach_memory(const At& at, EventId write, std::uint32_t end) const {
    bool may = true;
    each_before(write, [&](LocationId where, EventId before) {
      const bool own = before != kInitial && before.thread() == write.thread() &&
                       before.index() >= at.issued[write.thread()];  // of the same operation
      may = may && (before == kInitial || own || before.index() < at.committed[before.thread()]);
      for (const EventId r : g_.location(where).reads) {
        const bool done = is_issued(at, r) || (r.thread() == write.thread() && r.index() < end);
        may = may && (done || g_.source(r, where) != before);
      }
    });
    return may;
  }

  void drain(At* at) const {
    for (bool moved = true; moved;) {
      moved = false;
      for (unsigned t = 0; t < g_.threads(); ++t) {
        while (at->committed[t] < at->issued[t]) {
          const Event& e = g_.at(t, at->committed[t]);
          const bool stays = e.kind == Kind::write && model_.buffered(e) &&
                             !may_reach_memory(*at, event_id(t, at->committed[t]), 0);
          if (stays) break;
          ++at->committed[t];
          moved = true;
        }
      }
    }
  }

  const Model& model_;
  bool carefully_;
};

}  // namespace

bool Schedule::make(Graph& g, const Model& model, bool carefully) {
  carefully = carefully && g.event_count() <= kManyEvents;
  told_.clear();
  waiting_.clear();
  first_.clear();
  Telling(g, carefully).tell_all(&told_);
  const std::uint32_t count = told_.size();
  bool found = count == g.event_count();
  if (model.buffered != nullptr && found) {
    for (unsigned t = 0; t < g.threads(); ++t) place.of[t].clear();
    for (std::uint32_t k = 0; k < count; ++k) place.of[EventId{told_[k]}.thread()].push_back(k);
    told_.clear();
    const Machine machine(g, model, carefully);
    found = machine.run([&](const At& at, unsigned t, std::uint32_t first) {
      for (std::uint32_t i = first; i < at.issued[t]; ++i) {
        told_.push_back(event_id(t, i).raw);
        first_.push_back(waiting_.size());
        for (unsigned u = 0; u < g.threads(); ++u) {
          for (std::uint32_t k = at.committed[u]; k < at.issued[u]; ++k) {
            if (machine.is_waiting(at, u, k)) waiting_.push_back(event_id(u, k).raw);
          }
        }
      }
    });
  }
  while (first_.size() <= count) first_.push_back(waiting_.size());
  return found;
}

}  // namespace fencepost::checker::report
