// SPDX-License-Identifier: MIT
#include "explore/lock_order.hpp"

#include "graph/state_section.hpp"
#include "model/digraph.hpp"

namespace fencepost::checker {
namespace {

// Something done to the lock: an event, or two that are one read-modify-write.
struct Use {
  EventId first;
  EventId last;
  bool changes;
};

struct Scratch {
  Array<LocationId> locks;  // their first words
  Array<Use> uses;
  Digraph before;
};
FENCEPOST_CHECKER_STATE constinit Scratch scratch;

bool in_vain(const Event& e) {
  return e.kind == Kind::read && !succeeds(e) &&
         (e.what == Operation::rwlock_tryread || e.what == Operation::rwlock_trywrite);
}

std::uint32_t use_of(EventId e) {
  std::uint32_t n = 0;
  while (scratch.uses[n].first != e && scratch.uses[n].last != e) ++n;
  return n;
}

void list_uses(Graph& g, LocationId lock) {
  scratch.uses.clear();
  for (unsigned t = 0; t < g.threads(); ++t) {
    for (unsigned i = 0; i < g.size(t); ++i) {
      const Event& e = g.at(t, i);
      if (e.kind != Kind::read && e.kind != Kind::write) continue;
      if (e.location - lock >= kLockWords) continue;
      const EventId id = event_id(t, i);
      if (e.kind == Kind::write && (e.flags & kRmw) != 0) {
        scratch.uses.back().last = id;
        scratch.uses.back().changes = true;
      } else if (e.kind == Kind::write || !is_blocked(e)) {
        scratch.uses.push_back({id, id, e.kind == Kind::write});
      }
    }
  }
}

bool has_order(Graph& g, LocationId lock) {
  list_uses(g, lock);
  scratch.before.clear();
  for (std::uint32_t a = 0; a < scratch.uses.size(); ++a) {
    for (std::uint32_t b = 0; b < scratch.uses.size(); ++b) {
      if (a == b) continue;
      const Use& x = scratch.uses[a];
      const Use& y = scratch.uses[b];
      // Changes of one word would each read the one before.
      const bool both = x.changes && y.changes;
      if (both ? g.porf_before(x.last, y.first) : g.happens_before(x.last, y.first)) {
        scratch.before.edge(a, b);
      }
    }
  }
  for (LocationId at = lock; at < lock + kLockWords; ++at) {
    Location& l = g.location(at);
    for (std::uint32_t k = 1; k < l.writes.size(); ++k) {
      scratch.before.edge(use_of(l.writes[k - 1]), use_of(l.writes[k]));
    }
    for (EventId r : l.reads) {
      if (!in_vain(g.at(r))) continue;
      const std::uint32_t rank = g.rank(g.source(r, at), at);
      if (rank != 0) scratch.before.edge(use_of(l.writes[rank - 1]), use_of(r));
      if (rank < l.writes.size()) scratch.before.edge(use_of(r), use_of(l.writes[rank]));
    }
  }
  return scratch.before.sort(scratch.uses.size());
}

}  // namespace

bool locks_are_ordered(Graph& g) {
  if (!g.may_have_mixed_sizes()) return true;
  scratch.locks.clear();
  for (unsigned t = 0; t < g.threads(); ++t) {
    for (unsigned i = 0; i < g.size(t); ++i) {
      const Event& e = g.at(t, i);
      if (!in_vain(e) || g.location(e.location).bytes == 0) continue;
      const LocationId lock = e.location - g.location(e.location).offset;
      bool seen = false;
      for (LocationId other : scratch.locks) seen = seen || other == lock;
      if (!seen) scratch.locks.push_back(lock);
    }
  }
  for (LocationId lock : scratch.locks) {
    if (!has_order(g, lock)) return false;
  }
  return true;
}

}  // namespace fencepost::checker
