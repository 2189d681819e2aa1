// SPDX-License-Identifier: MIT
#include "explore/symmetry.hpp"

namespace fencepost::checker {
namespace {

// How many events come before this one in program order and reads-from. The graph's porf clocks
// know of the order of twins, too, which depends on the threads' numbers; and so does which of them
// was created first: creations are not counted.
std::uint32_t past_of(const Graph& g, EventId e) {
  std::uint32_t seen[kMaxThreads] = {};
  EventId open[kMaxThreads];  // at most one a thread
  unsigned opened = 0;
  const auto visit = [&](EventId x) {
    if (x.index() < seen[x.thread()]) return;
    for (unsigned k = 0; k < opened; ++k) {
      if (open[k].thread() != x.thread()) continue;
      if (open[k].index() < x.index()) open[k] = x;
      return;
    }
    open[opened++] = x;
  };
  visit(e);
  std::uint32_t count = 0;
  while (opened != 0) {
    const EventId last = open[--opened];
    const unsigned thread = last.thread();
    const std::uint32_t first = seen[thread];
    if (first > last.index()) continue;
    seen[thread] = last.index() + 1;
    for (std::uint32_t i = first; i <= last.index(); ++i) {
      const Event& x = g.at(thread, i);
      if (x.kind != Kind::create) ++count;
      if (x.kind == Kind::read) {
        g.each_source(event_id(thread, i), visit);
      } else if ((x.kind == Kind::begin || x.kind == Kind::join) && x.from != kInitial) {
        visit(x.from);
      }
    }
  }
  return count;
}

// Does the search have a default for this read that the elder twin's reading makes possible?
bool ordered(const Event& read) { return (read.flags & kNonatomic) == 0 && read.more == 0; }

}  // namespace

bool in_order(Graph& g, EventId younger) {
  const EventId elder = g.twin_of(younger);
  if (elder == kInitial) return true;
  const Event& a = g.at(elder);
  const Event& b = g.at(younger);
  if (a.kind != b.kind || a.what != b.what) return true;
  switch (b.kind) {
    case Kind::choice:
      return a.value >= b.value;
    case Kind::write:
      return a.location != b.location || g.rank(elder, b.location) < g.rank(younger, b.location);
    case Kind::read: {
      if (a.location != b.location || a.from == b.from || !ordered(a) || !ordered(b)) return true;
      const std::uint32_t before_a = past_of(g, elder);
      const std::uint32_t before_b = past_of(g, younger);
      return before_a != before_b ? before_a < before_b
                                  : g.rank(a.from, a.location) < g.rank(b.from, b.location);
    }
    default:
      return true;
  }
}

}  // namespace fencepost::checker
