// SPDX-License-Identifier: MIT
// Barriers, whose arrivals are not put into an order.
//
// N threads arrive at a barrier in N! orders, and no one of them can tell which it was: everybody
// waits for everybody. So arriving is an event that says nothing of other arrivals, and to leave is
// to be joined to the arrival of each other thread of the round, as a thread is joined (Kind::join;
// compare "BAM", Kokologiannakis and Vafeiadis, TACAS 2021). A round multiplies no executions.
//
// This is exact as long as it is certain who is of which round. An arrival is of the first round
// that is not known to its thread to be full. If more arrive in a round than it expects, then their
// order decides who is of it, and the program is refused by name; no order was left out before
// that, for up to there nobody had one too many.
//
// Which thread is told that it is the serial one is a choice, made by the lowest-numbered of those
// that ask; the others come after that. std::barrier, which may have to run something when a round
// is full, goes on in phases.cpp; std::latch, which has one round, in latches.cpp.
#include "sync/barriers/barriers.hpp"

#include <cstdio>

#include "execution/execution.hpp"
#include "sync/barriers/arrivals.hpp"
#include "sync/barriers/latches.hpp"

namespace fencepost::checker {

using namespace arrivals;

namespace {

// Arrivals that a round waits for.
std::uint64_t expected_in(Graph& g, const Barrier& b, std::uint64_t round) {
  std::uint64_t n = b.expected;
  each_arrival(g, b, [&](EventId, const Event& e) {
    if ((e.value & kDrops) != 0 && round_of(e) < round) --n;
  });
  return n;
}

// Somebody comes who would be one too many.
void turn_away(const Barrier& b, const Round& round, const Arrival& a, std::uint64_t pc) {
  const std::uint64_t missing = arrivals_missing(b, round.number);
  const auto address = static_cast<unsigned long>(b.address);
  if (b.kind == BarrierKind::latch) counts_too_far({b.address, b.expected}, a.count, missing, pc);
  const bool standard = b.kind == BarrierKind::standard;
  if (standard && (missing != 0 || round.expected == 0)) {
    execution.violate("memory", pc,
                      "thread %u arrives %lu times at the barrier at 0x%lx, which expects %lu more",
                      execution.current->id, static_cast<unsigned long>(a.count), address,
                      static_cast<unsigned long>(missing));
  }
  execution.unsupported(
      pc,
      "more threads than the barrier counts arrive at it in an order that is not fixed: "
      "who meets whom depends on chance, which is not explored%s",
      standard ? " (it is with --library-as-written, in many more executions)" : "");
}

void describe(const Thread& t, char* message, std::size_t size) {
  const auto object = static_cast<unsigned long>(t.block_object);
  if (t.block_missing == 0) {
    std::snprintf(message, size,
                  "thread %u waits at the barrier at 0x%lx for its completion function, which "
                  "never ends",
                  t.id, object);
    return;
  }
  std::snprintf(message, size, "thread %u waits at the barrier at 0x%lx for %lu that never come",
                t.id, object, static_cast<unsigned long>(t.block_missing));
}

}  // namespace

std::uint64_t arrivals_missing(const Barrier& b, std::uint64_t round) {
  Graph& g = execution.graph();
  std::uint64_t here = 0;
  each_arrival(g, b, [&](EventId, const Event& e) {
    if (round_of(e) == round) here += count_of(e);
  });
  return expected_in(g, b, round) - here;
}

Round round_to_come(const Barrier& b) {
  std::uint64_t round = 1;
  std::uint64_t known = 0;
  each_arrival(execution.graph(), b, [&](EventId id, const Event& e) {
    if (!Graph::includes(execution.clock(), id) || round_of(e) < round) return;
    if (round_of(e) > round) known = 0;
    round = round_of(e);
    known += count_of(e);
  });
  const std::uint64_t expected = expected_in(execution.graph(), b, round);
  if (known != expected || b.kind == BarrierKind::latch) return {round, expected, known};
  return {round + 1, expected_in(execution.graph(), b, round + 1), 0};
}

std::uint64_t arrive_at_barrier(const Barrier& b, const Arrival& a, std::uint64_t pc) {
  const Operation arrives = arrival_at(b);
  if (execution.repeats(arrives, pc)) return round_of(execution.graph().at(execution.last_event()));
  execution.before_new_event(pc);
  const Round round = round_to_come(b);
  if (arrivals_missing(b, round.number) < a.count) turn_away(b, round, a, pc);
  // Of no round is who counts a latch down by nothing.
  come_to(b, arrives, value_of(a.count == 0 ? 0 : round.number, b, a), arrival_flags(b), pc);
  const std::uint64_t missing = arrivals_missing(b, round.number);
  for (unsigned i = 0; i < execution.thread_count; ++i) {
    Thread& other = execution.threads[i];
    if (other.block == block_of(b) && other.block_object == b.address) {
      other.block_missing = missing;
    }
  }
  if (missing == 0) wake_at_barrier(b.address);
  return round.number;
}

// An event of this thread that others may come after.
void come_to(const Barrier& b, Operation what, std::uint64_t value, std::uint16_t flags,
             std::uint64_t pc) {
  Event e{};
  e.kind = Kind::join;
  e.what = what;
  e.pc = pc;
  e.from = kInitial;
  e.operand = b.address;
  e.state = b.incarnation;
  e.flags = flags;
  e.value = value;
  execution.current->effect();
  e.effects = execution.current->effects;
  execution.explorer.add_event(execution.current->id, e);
  ++execution.current->cursor;
}

void wake_at_barrier(std::uintptr_t address) {
  for (unsigned i = 0; i < execution.thread_count; ++i) {
    Thread& t = execution.threads[i];
    const bool waits = t.block == Block::barrier || t.block == Block::latch;
    if (waits && t.block_object == address) execution.wake(t);
  }
}

void wait_for_round(const Barrier& b, std::uint64_t round, Until until, std::uint64_t pc) {
  Thread& t = *execution.current;
  const Operation leave = leave_of(b);
  const Operation last = until == Until::completed ? Operation::barrier_completed : arrival_at(b);
  for (;;) {
    Graph& g = execution.graph();
    if (t.cursor < g.size(t.id)) {
      const Event& next = g.at(t.id, t.cursor);
      if (next.what != leave || next.pc != pc) return;
      if (!is_at(b, last, g.at(next.from)) || round_of(g.at(next.from)) != round) return;
      execution.repeats(leave, pc);
      continue;
    }
    t.block_missing = arrivals_missing(b, round);
    bool over = until == Until::all_have_arrived && t.block_missing == 0;
    EventId unseen = kInitial;
    each_of(g, b, last, [&](EventId id, const Event& e) {
      if (round_of(e) != round) return;
      over = over || until == Until::completed;
      if (unseen == kInitial && !Graph::includes(execution.clock(), id)) unseen = id;
    });
    if (!over) {
      execution.block(block_of(b), pc, b.address, 0);
      continue;
    }
    if (unseen == kInitial) return;
    execution.before_new_event(pc);
    execution.come_after(leave, unseen, pc, leave_flags(b));
  }
}

bool serial_at_barrier(const Barrier& b, std::uint64_t round, std::uint64_t pc) {
  Thread& t = *execution.current;
  EventId chooser = kInitial;
  unsigned asking = 0;  // threads
  unsigned own = 0;     // this one's place among them
  bool all_ask = true;
  each_arrival(execution.graph(), b, [&](EventId id, const Event& e) {
    if (round_of(e) != round) return;
    if ((e.value & kAsks) == 0) {
      all_ask = false;
      return;
    }
    if (chooser == kInitial) chooser = id;
    if (id.thread() == t.id) own = asking;
    ++asking;
  });
  if (chooser.thread() == t.id) {
    const bool another = !all_ask && !b.completes;
    const std::uint32_t serial =
        execution.choose(Operation::barrier_serial, asking + (another ? 1 : 0), pc);
    wake_at_barrier(b.address);
    return serial == own;
  }
  for (;;) {
    if (execution.repeats(Operation::barrier_serial, pc)) {
      return execution.graph().at(execution.graph().at(execution.last_event()).from).value == own;
    }
    execution.before_new_event(pc);
    Graph& g = execution.graph();
    for (unsigned i = chooser.index(); i < g.size(chooser.thread()); ++i) {
      const Event& e = g.at(chooser.thread(), i);
      if (e.kind != Kind::choice || e.what != Operation::barrier_serial) continue;
      const bool chosen = e.value == own;
      execution.come_after(Operation::barrier_serial, event_id(chooser.thread(), i), pc,
                           leave_flags(b));
      return chosen;
    }
    execution.block(Block::barrier, pc, b.address, 0);
  }
}

EventId waits_at_barrier(const Barrier& b) {
  Graph& g = execution.graph();
  EventId somebody = kInitial;
  each_arrival(g, b, [&](EventId id, const Event& e) {
    if ((e.value & kWaits) != 0 && arrivals_missing(b, round_of(e)) != 0) somebody = id;
  });
  return somebody;
}

constinit const BlockedAt kBlockedAtBarrier{"waits at a barrier", always_stuck, describe,
                                            no_known_holders};

}  // namespace fencepost::checker
