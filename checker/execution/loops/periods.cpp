// SPDX-License-Identifier: MIT
// Threads that make each other's rounds come to nothing, each because it meets another's: two that
// take two locks in opposite orders by attempts can go on so for ever, and every round has been
// seen. But after a while all are where they were together, and what lies between need not be.
//
// Take a thread t at the ends of two of its rounds. P and Q are what comes before these in program
// order and reads-from. Without Q \ P the execution is one, with all else the same, if
// - t has only made rounds in between, and each other thread is in Q where it was in P: at the same
//   event, or at the same place of two rounds of the same loop, which it came to by the same
//   values;
// - in each location the last write of Q has the value of the last one of P, and Q has all writes
//   before its last one;
// - what is not in Q reads no write of Q \ P but such a last one. It reads that of P instead. (What
//   reads another one belongs to Q, if there is something like it that belongs to P.)
// In the order of an execution under sequential consistency, less Q \ P, each read finds the last
// write before it, so this is an execution. Under the other models orders and happens-before become
// smaller, as in loops.cpp.
//
// So an execution with the fewest events that ends as it does has no such P and Q; and what comes
// before the end of a thread's round in the order of an execution has none if the whole has none.
#include "execution/loops/periods.hpp"

#include <cstdint>

#include "execution/execution.hpp"
#include "graph/graph.hpp"
#include "graph/state_section.hpp"
#include "graph/storage.hpp"

namespace fencepost::checker {
namespace {

// Where a thread is after a number of its events.
struct Position {
  bool in_loop;
  std::uint32_t loop;   // its first event
  std::uint32_t round;  // the first event of the present round
};

bool is_kept_round(const Event& e) {
  return e.kind == Kind::choice && e.what == Operation::another_round && e.value != 0;
}

Position position_after(unsigned thread, std::uint32_t events) {
  const Graph& g = execution.graph();
  Position p{false, 0, 0};
  for (std::uint32_t i = 0; i < g.size(thread); ++i) {
    const Event& e = g.at(thread, i);
    if (!is_kept_round(e)) continue;
    if (!p.in_loop || p.round != e.rmw_read) p = {true, e.rmw_read, e.rmw_read};
    if (events <= i) {
      p.in_loop = events >= p.round;
      return p;
    }
    p.round = i + 1;
  }
  return p;
}

bool did_the_same(const Event& a, const Event& b) {
  return a.kind == b.kind && a.what == b.what && a.pc == b.pc && a.location == b.location &&
         a.more == 0 && b.more == 0 && a.value == b.value && a.operand == b.operand;
}

// Is the thread after `before` of its events where it is after `after` of them?
bool is_where_it_was(unsigned thread, std::uint32_t before, std::uint32_t after) {
  if (before == after) return true;
  const Graph& g = execution.graph();
  const Position a = position_after(thread, before);
  const Position b = position_after(thread, after);
  if (!a.in_loop || !b.in_loop || a.loop != b.loop) return false;
  if (before - a.round != after - b.round) return false;
  for (std::uint32_t i = 0; i < before - a.round; ++i) {
    if (!did_the_same(g.at(thread, a.round + i), g.at(thread, b.round + i))) return false;
  }
  return true;
}

// P and Q, as the numbers of events of each thread.
struct Period {
  std::uint16_t before[kMaxThreads];
  std::uint16_t after[kMaxThreads];

  bool has(EventId e) const { return Graph::includes(after, e) && !Graph::includes(before, e); }
};

// The last write of one location in P or Q, if all before it are there as well.
bool find_last(LocationId location, Graph::Clock clock, EventId* last) {
  *last = kInitial;
  bool missing = false;
  for (EventId w : execution.graph().location(location).writes) {
    if (!Graph::includes(clock, w)) {
      missing = true;
    } else {
      if (missing) return false;
      *last = w;
    }
  }
  return true;
}

bool leaves_what_was_there(const Period& period) {
  Graph& g = execution.graph();
  for (unsigned t = 0; t < g.threads(); ++t) {
    for (std::uint32_t i = period.before[t]; i < period.after[t]; ++i) {
      const Event& e = g.at(t, i);
      if (e.kind == Kind::choice) continue;
      if ((e.kind != Kind::read && e.kind != Kind::write) || e.more != 0) return false;
      if (e.kind == Kind::read) continue;
      EventId was;
      EventId is;
      if (!find_last(e.location, period.after, &is)) return false;
      if (!find_last(e.location, period.before, &was)) return false;
      if (g.value_of(e.location, was) != g.value_of(e.location, is)) return false;
    }
  }
  return true;
}

// What is not in Q and reads of Q \ P what is not there any more in its end; kInitial: nothing.
EventId find_reader_within(const Period& period) {
  Graph& g = execution.graph();
  for (unsigned t = 0; t < g.threads(); ++t) {
    for (std::uint32_t i = period.after[t]; i < g.size(t); ++i) {
      const Event& e = g.at(t, i);
      if (e.kind != Kind::read || is_blocked(e)) continue;  // who waits has not gone on
      bool within = false;
      g.each_source(event_id(t, i), [&](EventId w) {
        if (!period.has(w)) return;
        EventId last;
        within = within || g.at(w).more != 0 || !find_last(g.at(w).location, period.after, &last) ||
                 last != w;
      });
      if (within) return event_id(t, i);
    }
  }
  return kInitial;
}

// Adds to Q an event and what comes before it, and as many events of each thread to P. False: then
// P is not all that comes before it.
bool extend(Period* period, EventId by) {
  const Graph& g = execution.graph();
  const EventId end = g.end_of_operation(by);
  for (unsigned t = 0; t < g.threads(); ++t) {
    const std::uint16_t now = g.porf(end)[t];
    if (now <= period->after[t]) continue;
    period->before[t] += now - period->after[t];
    period->after[t] = now;
  }
  for (unsigned t = 0; t < g.threads(); ++t) {
    if (period->before[t] == 0) continue;
    const Graph::Clock clock = g.porf(event_id(t, period->before[t] - 1U));
    for (unsigned u = 0; u < g.threads(); ++u) {
      if (clock[u] > period->before[u]) return false;
    }
  }
  return true;
}

// Between two ends of rounds of the thread.
bool can_be_left_out(unsigned thread, std::uint32_t before, std::uint32_t after) {
  const Graph& g = execution.graph();
  Period period;
  for (unsigned t = 0; t < g.threads(); ++t) {
    period.before[t] = g.porf(event_id(thread, before - 1))[t];
    period.after[t] = g.porf(event_id(thread, after - 1))[t];
  }
  for (;;) {
    for (unsigned t = 0; t < g.threads(); ++t) {
      if (t != thread && !is_where_it_was(t, period.before[t], period.after[t])) return false;
    }
    if (!leaves_what_was_there(period)) return false;
    const EventId reader = find_reader_within(period);
    if (reader == kInitial) return true;
    if (!extend(&period, reader) || period.after[thread] != after) return false;
  }
}

// Is there such a P, where Q ends with the round from `begin` to `end`?
bool can_go_without(unsigned thread, std::uint32_t begin, std::uint32_t end) {
  const Graph& g = execution.graph();
  for (std::uint32_t before = begin; before != 0;) {
    if (can_be_left_out(thread, before, end)) return true;
    const Event& e = g.at(thread, before - 1);
    if (!is_kept_round(e)) return false;
    before = e.rmw_read;
  }
  return false;
}

}  // namespace

bool repeats_with_others(unsigned thread, bool stopped) {
  const Graph& g = execution.graph();
  for (std::uint32_t i = 0; i < g.size(thread); ++i) {
    const Event& e = g.at(thread, i);
    if (is_kept_round(e) && can_go_without(thread, e.rmw_read, i + 1)) return true;
  }
  return stopped && can_go_without(thread, execution.threads[thread].loop_start, g.size(thread));
}

}  // namespace fencepost::checker
