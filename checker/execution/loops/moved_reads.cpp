// SPDX-License-Identifier: MIT
// Reads that could as well have read another write.
//
// It is looked for a cycle of program order, thread creation and joining, reads-from, modification
// order and reads-before through the read, if it read the other write. Without one the execution is
// as consistent as it was: under sequential consistency that is all that is asked for, and what the
// other models forbid is made of these orders too.
#include "execution/loops/moved_reads.hpp"

#include <cstdint>

#include "execution/execution.hpp"
#include "graph/graph.hpp"

namespace fencepost::checker {
namespace {

// What comes before an event in these orders, that the moved read neither reads nor is read before:
// of each thread, its first events.
class Before {
 public:
  Before(EventId last, EventId moved) : moved_(moved) {
    include(last);
    for (bool more = true; more;) {
      more = false;
      for (unsigned t = 0; t < execution.graph().threads(); ++t) {
        for (; looked_at_[t] < included_[t]; ++looked_at_[t]) {
          include_those_before(event_id(t, looked_at_[t]));
          more = true;
        }
      }
    }
  }

  bool has(EventId e) const { return included_[e.thread()] > e.index(); }

 private:
  void include(EventId e) {
    if (e != kInitial && included_[e.thread()] <= e.index()) included_[e.thread()] = e.index() + 1;
  }

  void include_those_before(EventId id) {
    Graph& g = execution.graph();
    const Event& e = g.at(id);
    if (e.kind == Kind::begin || e.kind == Kind::join) include(e.from);
    if (e.kind == Kind::read && id != moved_ && !is_blocked(e)) include(e.from);
    if (e.kind != Kind::write) return;
    const Location& l = g.location(e.location);
    const EventId previous = e.mo == 0 ? kInitial : l.writes[e.mo - 1];
    include(previous);
    for (EventId r : l.reads) {
      const Event& read = g.at(r);
      if (r == moved_ || read.from != previous || is_blocked(read)) continue;
      if (r.thread() != id.thread() || r.index() < id.index()) include(r);
    }
  }

  const EventId moved_;
  std::uint32_t included_[kMaxThreads] = {};
  std::uint32_t looked_at_[kMaxThreads] = {};
};

}  // namespace

bool could_read(EventId read, EventId other) {
  const Graph& g = execution.graph();
  if (g.may_have_mixed_sizes()) return false;
  // It may not come before the write that it reads,
  if (Before(other, read).has(read)) return false;
  // ... nor after the next one.
  const Event& w = g.at(other);
  const Location& l = execution.graph().location(w.location);
  if (w.mo + 1 == l.writes.size()) return true;
  const EventId previous = event_id(read.thread(), read.index() - 1);
  return !Before(previous, read).has(l.writes[w.mo + 1]);
}

}  // namespace fencepost::checker
