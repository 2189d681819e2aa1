// SPDX-License-Identifier: MIT
// std::barrier: rounds of a barrier (barriers.cpp) that a function of the program's may end.
//
// Without a completion function a phase is a round, and its arrivals have no order. With one it
// matters who is the last: the standard has the function called by a thread that arrived in the
// phase, and that is whoever arrives last. Those that arrive and wait can be asked when everybody
// is there: one of them is chosen, as the serial thread of a POSIX barrier is. But who arrives and
// goes on has to know at once, for if it is the last it runs the function first. So it chooses: it
// is the last, and then waits until all the others have arrived, or it is not, and goes on. If it
// knows that all the others are there, it has no choice.
//
// Such choices of several threads need not fit together: two may claim to be the last, or nobody.
// Then there is no such execution. That cannot be said at once, for what is left out is found from
// what it would have led to (the others go on, and what they write may be read elsewhere); but
// nothing that goes wrong there counts (deferred_violations.cpp), and at its end it is discarded.
#include "sync/barriers/phases.hpp"

#include "execution/above.hpp"
#include "execution/execution.hpp"
#include "graph/state_section.hpp"
#include "sync/barriers/arrivals.hpp"

namespace fencepost::checker {

using namespace arrivals;

namespace {

FENCEPOST_CHECKER_STATE bool nobody_is_last = false;  // of a phase that is full

EventId completion_of(const Barrier& b, std::uint64_t phase) {
  EventId completed = kInitial;
  each_of(execution.graph(), b, Operation::barrier_completed, [&](EventId id, const Event& e) {
    if (e.value == phase) completed = id;
  });
  return completed;
}

}  // namespace

void reset_phases() { nobody_is_last = false; }

std::uint64_t arrive_in_phase(const Barrier& b, Arrival a, std::uint64_t pc) {
  execution.counters.std_barriers = 1;
  if (!b.completes) return arrive_at_barrier(b, a, pc);
  const Round phase = round_to_come(b);
  const EventId before = phase.number > 1 ? completion_of(b, phase.number - 1) : event_id(0, 0);
  if (before == kInitial || !execution.graph().porf_before(before, execution.last_event())) {
    execution.violate(
        "memory", pc,
        "thread %u arrives at the barrier at 0x%lx while the completion function of the phase "
        "before may still run",
        execution.current->id, static_cast<unsigned long>(b.address));
  }
  a.asks = a.waits;
  if (!a.waits) {
    const bool sees_all = phase.known + a.count >= phase.expected;
    a.claims = sees_all || execution.choose(Operation::barrier_last, 2, pc) == 1;
  }
  arrive_at_barrier(b, a, pc);
  bool somebody = false;
  each_arrival(execution.graph(), b, [&](EventId, const Event& e) {
    if (round_of(e) == phase.number && (e.value & (kClaims | kAsks)) != 0) somebody = true;
  });
  if (!somebody && arrivals_missing(b, phase.number) == 0) nobody_is_last = true;
  return phase.number;
}

bool completes_phase(const Barrier& b, std::uint64_t phase, std::uint64_t pc) {
  std::uint64_t own = 0;
  each_arrival(execution.graph(), b, [&](EventId id, const Event& e) {
    if (id.thread() == execution.current->id && id.index() < execution.current->cursor)
      own = e.value;
  });
  if ((own & (kAsks | kClaims)) == 0) return false;
  wait_for_round(b, phase, Until::all_have_arrived, pc);
  unsigned claims = 0;
  each_arrival(execution.graph(), b, [&](EventId, const Event& e) {
    if (round_of(e) == phase && (e.value & kClaims) != 0) ++claims;
  });
  if (claims == 0) return serial_at_barrier(b, phase, pc);
  if ((own & kClaims) == 0) return false;
  while (claims > 1) execution.block(Block::barrier, pc, b.address, 0);
  return true;
}

void phase_is_complete(const Barrier& b, std::uint64_t phase, std::uint64_t pc) {
  if (execution.repeats(Operation::barrier_completed, pc)) return;
  execution.before_new_event(pc);
  come_to(b, Operation::barrier_completed, phase, kUnlocked, pc);
  wake_at_barrier(b.address);
}

void wait_for_phase(const Barrier& b, std::uint64_t phase, std::uint64_t pc) {
  const EventId next = b.completes ? completion_of(b, phase + 1) : kInitial;
  const bool next_is_over = b.completes
                                ? next != kInitial && Graph::includes(execution.clock(), next)
                                : round_to_come(b).number > phase + 1;
  if (next_is_over) {
    execution.violate(
        "memory", pc,
        "thread %u waits at the barrier at 0x%lx for a phase before the last one that ended",
        execution.current->id, static_cast<unsigned long>(b.address));
  }
  wait_for_round(b, phase, b.completes ? Until::completed : Until::all_have_arrived, pc);
}

bool phases_are_possible(bool over) {
  if (nobody_is_last) return false;
  if (!over || execution.counters.std_barriers == 0) return true;
  // Somebody who claims to be the last, and is not.
  for (unsigned i = 0; i < execution.thread_count; ++i) {
    const Thread& t = execution.threads[i];
    if (t.state != ThreadState::blocked || t.block != Block::barrier) continue;
    for (std::uint32_t k = t.cursor; k-- > 0;) {
      const Event& e = execution.graph().at(i, k);
      if (e.operand != t.block_object) continue;
      if (e.what == Operation::barrier_completed) break;
      if (e.what != Operation::barrier_arrive) continue;
      if ((e.value & kClaims) != 0) return false;
      break;
    }
  }
  return true;
}

}  // namespace fencepost::checker
