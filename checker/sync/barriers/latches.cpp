// SPDX-License-Identifier: MIT
// std::latch: one round of a barrier (barriers.cpp), in which to arrive is to count down and who
// waits need not have arrived.
//
// Who counts a latch down learns nothing by it, so in what order that is done multiplies no
// executions; and that more is counted than there was is so in every order. To wait is to come
// after all who have counted.
//
// try_wait is different: it finds the latch open or not, and goes on. Where a program has such a
// call anywhere (its header leaves a mark then, which is the same for all executions) a latch is a
// word, its counter: to count down is a release that reads what it takes away from, to wait and to
// try are acquiring reads, and the order of all that is explored. An attempt that fails promises
// nothing, so it is relaxed; that it may fail though the counter is 0 is left out, as for a weak
// compare-exchange.
#include "sync/barriers/latches.hpp"

#include <cstdio>

#include "execution/execution.hpp"
#include "execution/objects.hpp"
#include "sync/barriers/arrivals.hpp"
#include "sync/barriers/barriers.hpp"
#include "sync/locks/words.hpp"
#include "sync/stuck.hpp"

// Defined by programs that call std::latch::try_wait: interface/cxx_library/headers/latch.
extern "C" [[gnu::weak]] const char fencepost_latch_is_tried;

namespace fencepost::checker {

using namespace arrivals;

namespace {

bool is_word() { return &fencepost_latch_is_tried != nullptr; }

WordChange change_of(const Latch& l, Operation what) {
  return {.kind = ObjectKind::latch, .what = what, .address = l.address, .initial = l.expected};
}

Barrier as_barrier(const Latch& l) {
  Graph& g = execution.graph();
  EventId made = kInitial;  // the last that the current thread knows of
  for (unsigned t = 0; t < g.threads(); ++t) {
    for (unsigned i = 0; i < g.size(t); ++i) {
      const Event& e = g.at(t, i);
      const EventId id = event_id(t, i);
      if (e.what != Operation::latch_init || e.operand != l.address) continue;
      if (!Graph::includes(execution.clock(), id)) continue;
      if (made == kInitial || Graph::includes(g.hb(id), made)) made = id;
    }
  }
  const std::uint64_t incarnation = made == kInitial ? 0 : std::uint64_t{made.raw} + 1;
  return {l.address, incarnation, l.expected, BarrierKind::latch};
}

// Where it is no word, nothing has been read.
bool is_stuck(const Thread& t) { return t.block_location == 0 || last_read_is_newest(t); }

void describe(const Thread& t, char* message, std::size_t size) {
  const std::uint64_t left =
      t.block_location == 0 ? t.block_missing : execution.graph().at(t.id, t.cursor - 1).value;
  std::snprintf(message, size,
                "thread %u waits for the latch at 0x%lx, which is at %lu, and nobody is left "
                "to count it down",
                t.id, static_cast<unsigned long>(t.block_object), static_cast<unsigned long>(left));
}

}  // namespace

void make_latch(const Latch& l, std::uint64_t pc) {
  if (is_word()) {
    return initialise_word(ObjectKind::latch, Operation::latch_init, l.address, l.expected, pc);
  }
  if (execution.repeats(Operation::latch_init, pc)) return;
  execution.before_new_event(pc);
  const Barrier b{l.address, 0, l.expected, BarrierKind::latch};
  come_to(b, Operation::latch_init, value_of(0, b, {.count = l.expected}), kUnlocked, pc);
}

void counts_too_far(const Latch& l, std::uint64_t by, std::uint64_t left, std::uint64_t pc) {
  execution.violate("memory", pc,
                    "thread %u counts the latch at 0x%lx down by %lu, which is at %lu",
                    execution.current->id, static_cast<unsigned long>(l.address),
                    static_cast<unsigned long>(by), static_cast<unsigned long>(left));
}

void count_down(const Latch& l, std::uint64_t by, std::uint64_t pc) {
  execution.counters.std_latches = 1;
  if (!is_word()) {
    arrive_at_barrier(as_barrier(l), {.count = by, .waits = false}, pc);
    return;
  }
  WordChange c = change_of(l, Operation::latch_count_down);
  c.add = std::uint64_t{0} - by;
  c.acquires = false;
  c.releases = true;
  std::uint64_t left;
  change_word(c, pc, &left);
  if (left < by) counts_too_far(l, by, left, pc);
}

void wait_for_latch(const Latch& l, std::uint64_t pc) {
  execution.counters.std_latches = 1;
  if (!is_word()) return wait_for_round(as_barrier(l), 1, Until::all_have_arrived, pc);
  WordChange c = change_of(l, Operation::latch_wait);
  c.condition = kCompare | kAwait;
  c.why = Block::latch;
  read_word(c, 0, pc);
}

bool latch_is_open(const Latch& l, std::uint64_t pc) {
  execution.counters.std_latches = 1;
  if (!is_word()) execution.unsupported(pc, "a std::latch is tried without the mark of its header");
  WordChange c = change_of(l, Operation::latch_try_wait);
  c.condition = kCompare;
  c.may_repeat = true;
  return read_word(c, 0, pc).value == 0;
}

constinit const BlockedAt kBlockedAtLatch{"waits for a latch", is_stuck, describe,
                                          no_known_holders};

}  // namespace fencepost::checker
