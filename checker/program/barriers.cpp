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
// is full, goes on in phases.cpp.
#include "program/arrivals.hpp"

namespace fencepost::checker {

using namespace arrivals;

namespace {

// Arrivals that a round waits for.
std::uint64_t expected_in(Graph& g, const Runtime::Barrier& b, std::uint64_t round) {
  std::uint64_t n = b.expected;
  each_arrival(g, b, [&](EventId, const Event& e) {
    if ((e.value & kDrops) != 0 && round_of(e) < round) --n;
  });
  return n;
}

}  // namespace

std::uint64_t Runtime::arrivals_missing(const Barrier& b, std::uint64_t round) {
  Graph& g = graph();
  std::uint64_t here = 0;
  each_arrival(g, b, [&](EventId, const Event& e) {
    if (round_of(e) == round) here += count_of(e);
  });
  return expected_in(g, b, round) - here;
}

Runtime::Round Runtime::round_to_come(const Barrier& b) {
  std::uint64_t round = 1;
  std::uint64_t known = 0;
  each_arrival(graph(), b, [&](EventId id, const Event& e) {
    if (!Graph::includes(clock(), id) || round_of(e) < round) return;
    if (round_of(e) > round) known = 0;
    round = round_of(e);
    known += count_of(e);
  });
  const std::uint64_t expected = expected_in(graph(), b, round);
  if (known != expected) return {round, expected, known};
  return {round + 1, expected_in(graph(), b, round + 1), 0};
}

// Somebody comes who would be one too many.
void Runtime::turn_away(const Barrier& b, const Round& round, const Arrival& a, std::uint64_t pc) {
  const std::uint64_t missing = arrivals_missing(b, round.number);
  const auto address = static_cast<unsigned long>(b.address);
  if (b.standard && (missing != 0 || round.expected == 0)) {
    violate("memory", pc,
            "thread %u arrives %lu times at the barrier at 0x%lx, which expects %lu more",
            current->id, static_cast<unsigned long>(a.count), address,
            static_cast<unsigned long>(missing));
  }
  unsupported(pc,
              "more threads than the barrier counts arrive at it in an order that is not fixed: "
              "who meets whom depends on chance, which is not explored%s",
              b.standard ? " (it is with --library-as-written, in many more executions)" : "");
}

std::uint64_t Runtime::arrive_at_barrier(const Barrier& b, const Arrival& a, std::uint64_t pc) {
  Thread& t = *current;
  if (Event* e = replay(Kind::join, What::barrier_arrive, pc)) {
    t.repeat(*e);
    ++t.cursor;
    return round_of(*e);
  }
  before_new_event(pc);
  const Round round = round_to_come(b);
  if (arrivals_missing(b, round.number) < a.count) turn_away(b, round, a, pc);
  Event e{};
  e.kind = Kind::join;
  e.what = What::barrier_arrive;
  e.pc = pc;
  e.from = kInitial;
  e.operand = b.address;
  e.state = b.incarnation;
  e.flags = join_flags(b);
  e.value = value_of(round.number, b, a);
  t.effect();
  e.effects = t.effects;
  explorer.add_event(t.id, e);
  ++t.cursor;
  const std::uint64_t missing = arrivals_missing(b, round.number);
  for (unsigned i = 0; i < thread_count_; ++i) {
    Thread& other = threads_[i];
    if (other.block == Block::barrier && other.block_object == b.address) {
      other.block_missing = missing;
    }
  }
  if (missing == 0) wake_at_barrier(b.address);
  return round.number;
}

void Runtime::wake_at_barrier(std::uintptr_t address) {
  for (unsigned i = 0; i < thread_count_; ++i) {
    Thread& t = threads_[i];
    if (t.block == Block::barrier && t.block_object == address) wake(t);
  }
}

void Runtime::wait_for_round(const Barrier& b, std::uint64_t round, std::uint64_t pc) {
  Thread& t = *current;
  const What leave = b.standard ? What::barrier_wait : What::barrier_leave;
  for (;;) {
    Graph& g = graph();
    if (t.cursor < g.size(t.id)) {
      const Event& next = g.at(t.id, t.cursor);
      if (next.what != leave || next.pc != pc) return;
      const Event& arrival = g.at(next.from);
      if (!is_arrival_at(b, arrival) || round_of(arrival) != round) return;
      t.repeat(*replay(Kind::join, leave, pc));
      ++t.cursor;
      continue;
    }
    before_new_event(pc);
    t.block_missing = arrivals_missing(b, round);
    if (t.block_missing != 0) {
      block(Block::barrier, pc, b.address, 0);
      continue;
    }
    EventId unseen = kInitial;
    each_arrival(g, b, [&](EventId id, const Event& e) {
      if (round_of(e) == round && unseen == kInitial && !Graph::includes(clock(), id)) unseen = id;
    });
    if (unseen == kInitial) return;
    come_after(leave, unseen, pc, join_flags(b));
  }
}

bool Runtime::serial_at_barrier(const Barrier& b, std::uint64_t round, std::uint64_t pc) {
  Thread& t = *current;
  EventId chooser = kInitial;
  unsigned asking = 0;  // threads
  unsigned own = 0;     // this one's place among them
  bool all_ask = true;
  each_arrival(graph(), b, [&](EventId id, const Event& e) {
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
    const std::uint32_t serial = choose(What::barrier_serial, asking + (another ? 1 : 0), pc);
    wake_at_barrier(b.address);
    return serial == own;
  }
  for (;;) {
    if (Event* e = replay(Kind::join, What::barrier_serial, pc)) {
      ++t.cursor;
      return graph().at(e->from).value == own;
    }
    before_new_event(pc);
    Graph& g = graph();
    for (unsigned i = chooser.index(); i < g.size(chooser.thread()); ++i) {
      const Event& e = g.at(chooser.thread(), i);
      if (e.kind != Kind::choice || e.what != What::barrier_serial) continue;
      const bool chosen = e.value == own;
      come_after(What::barrier_serial, event_id(chooser.thread(), i), pc, join_flags(b));
      return chosen;
    }
    block(Block::barrier, pc, b.address, 0);
  }
}

EventId Runtime::waits_at_barrier(const Barrier& b) {
  Graph& g = graph();
  EventId somebody = kInitial;
  each_arrival(g, b, [&](EventId id, const Event& e) {
    if ((e.value & kWaits) != 0 && arrivals_missing(b, round_of(e)) != 0) somebody = id;
  });
  return somebody;
}

}  // namespace fencepost::checker
