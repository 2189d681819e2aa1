// SPDX-License-Identifier: MIT
// Spin loops, without annotations and without looking at the code.
//
// When a thread comes to an atomic read in the very state in which it came there before (registers,
// live stack, nothing changed by it in between), the iteration in between has no effect: an
// execution without it exists and does everything else the same, with less synchronisation if
// anything. So the thread is stopped there: what it would do next, some other execution does
// without the detour, and the reads of its one iteration stay in the graph for later writes to
// revisit. A counter of attempts makes the states differ, so bounded spinning is explored as
// written, or by spins.cpp.
//
// The argument, for an iteration I of a thread t in an execution E: E without I is an execution.
// - What t does after I it does without I: its state is the same, and the reads after I read what
//   they read, or, from a write in I, what I's operation read.
// - The writes in I are read-modify-writes that store what was there (kSilent), and critical
//   sections that changed nothing: a lock and its unlock. All others change `effects`, and so does
//   whatever is done to memory but to t's own stack. Another thread's read of a silent write, or of
//   an unlock, can take the value from before I instead: it is the same value, and it was not
//   stored together with other bytes, which then would have to be as new (is_first_apart). As these
//   writes are read-modify-writes, or end one, what comes after them in modification order comes
//   after what was before them, and nothing gets in between.
// - Who read that the lock was held, and waits, has not gone on. Who tried and went on has seen I;
//   then I is kept (rounds.cpp).
// - Orders and happens-before only become smaller, so that no axiom is violated which held before,
//   and two accesses that raced do so still.
// - What I has written plainly was written before, in rounds that are there, since the last event
//   by which another thread could learn of it, and the bytes are what they were. Whoever reads one
//   of the values in between races, with I's write and as well with the one before: what orders one
//   of these two before or behind another thread's access orders the other.
// A violation within I is found too, for the one iteration is explored up to its end.
//
// The state is compared by a 64-bit hash.
#include "execution/loops/loops.hpp"

#include <cstdio>
#include <cstring>

#include "execution/above.hpp"
#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/stack/own_stack.hpp"
#include "execution/lifetimes/uninitialised.hpp"
#include "execution/loops/rounds.hpp"
#include "execution/objects.hpp"
#include "graph/state_section.hpp"
#include "memory/hash.hpp"

namespace fencepost::checker {
namespace {

constexpr std::uint32_t kManyIdleYields = 1000;
constexpr std::uint32_t kMostIdleYields = 200000;

void describe(const Thread& t, char* message, std::size_t size) {
  std::snprintf(message, size,
                "thread %u spins for ever: it reads the newest values and nobody will change them",
                t.id);
}

}  // namespace

FENCEPOST_CHECKER_STATE constinit StoppedRounds stopped_rounds;

std::uint64_t private_state(std::uint64_t pc, std::uint64_t asked) {
  Thread& t = *execution.current;
  if (fencepost_saved_registers.stack < t.deepest_stack) {
    t.deepest_stack = fencepost_saved_registers.stack;
  }
  std::uint64_t h = mix(mix(pc, t.effects), asked);
  for (std::uint64_t r : fencepost_saved_registers.preserved) h = mix(h, r);
  h = mix(mix(h, fencepost_saved_registers.stack), floating_point_state());
  for (unsigned i = 0; i < t.written_count && t.written_count <= Thread::kMostWritten; ++i) {
    const Thread::Written& w = t.written[i];
    std::uint64_t bytes;
    std::memcpy(&bytes, reinterpret_cast<const void*>(w.word), sizeof bytes);
    for (unsigned b = 0; b < sizeof bytes; ++b) {
      if ((w.mask >> b & 1) == 0) bytes &= ~(std::uint64_t{0xff} << (8 * b));
    }
    h = mix(mix(h, w.word), bytes);
  }
  h = hash_own_stack(h, fencepost_saved_registers.stack);
  return h == 0 ? 1 : h;
}

void cut_repetition(std::uint64_t state, std::uint64_t pc) {
  Thread& t = *execution.current;
  t.idle_yields = 0;
  if (t.cursor >= t.logged && t.cursor != 0) {
    const Event& last = execution.graph().at(execution.last_event());
    if (last.kind == Kind::choice && last.what == Operation::another_round) return;  // it is kept
  }
  stopped_rounds.stop(pc);
  std::uint32_t rounds = 0;
  for (std::uint32_t i = t.cursor; i-- > 0;) {
    const Event& e = execution.graph().at(t.id, i);
    if (e.effects < t.effects) return;
    if (e.effects > t.effects) continue;  // inside a critical section that has come to nothing
    if (e.kind != Kind::read || e.state != state || e.pc != pc) continue;
    if (++rounds < execution.options.rounds) continue;
    if (execution.options.rounds == 0 && loop_rounds.keeps(i, pc)) return;
    stop_in_round(i, pc);
    return;
  }
}

void StoppedRounds::keep() {
  kept_ = true;
  for (unsigned i = 0; i < kMaxThreads; ++i) {
    const Thread& t = execution.threads[i];
    const bool is_stopped =
        i < execution.thread_count && t.state == ThreadState::blocked && t.block == Block::spin;
    stopped_[i] = {is_stopped, t.loop_start, t.cursor, t.block_pc};
  }
}

void StoppedRounds::stop(std::uint64_t pc) const {
  const Thread& t = *execution.current;
  const Stopped& then = stopped_[t.id];
  if (!kept_ || !then.is_stopped || then.end != t.cursor || then.pc != pc) return;
  stop_in_round(then.begin, pc);
}

// Some other execution has all that this one could have from here on. The thread, which is to be
// stopped for good, has last read a write r that others had overwritten before; nothing revisits
// such a read, and none that is older, for it was not added maximally (explorer.hpp). So in each
// execution that would follow the thread stands here. Without its round each of them is one
// (above), in which the thread may read what is the newest in the end; so that is explored, and it
// has all that the others have done. What they race with in the round they race with where the
// thread reads what was the newest now: that comes to the same place, and what the thread does
// there, or orders nothing before r, or is done by the others without it.
// - Only the thread must have used no memory since it read.
// - A round that has taken a lock others may have seen, and in one that has looked at a clock or
//   chosen something time may yet pass.
// - Whether it matters what somebody has read that nobody has written is looked at where an
//   execution ends: uninitialised.cpp.
void expect_news(std::uint32_t begin) {
  const Thread& t = *execution.current;
  if (t.cursor == begin || t.accessed_at == t.cursor || t.has_pending) return;
  if (t.clock_read && t.clock_read_at > begin) return;
  if (execution.options.symmetry || execution.options.coverage || execution.options.rounds != 0) {
    return;
  }
  Graph& g = execution.graph();
  constexpr unsigned kSame = kRmw | kSilent;
  for (std::uint32_t i = begin; i < t.cursor; ++i) {
    const Event& e = g.at(t.id, i);
    if (e.kind != Kind::read && (e.kind != Kind::write || (e.flags & kSame) != kSame)) return;
    if (objects[e.location].kind != ObjectKind::atomic || e.more != 0) return;
  }
  const Event& last = g.at(execution.last_event());
  const Event& r = last.kind == Kind::write ? g.at(t.id, last.rmw_read) : last;
  const Location& l = g.location(r.location);
  if ((r.flags & kForced) != 0 || uninitialised.any_read()) return;
  for (std::uint32_t k = g.rank(r.from, r.location); k < l.writes.size(); ++k) {
    if (g.at(l.writes[k]).stamp < r.stamp) execution.drop_execution();
  }
}

void stop_in_round(std::uint32_t begin, std::uint64_t pc) {
  Thread& t = *execution.current;
  t.loop_start = begin;
  for (std::uint32_t k = begin; k < t.cursor; ++k) {
    const Event& w = execution.graph().at(t.id, k);
    if ((w.flags & kSilent) != 0 && w.order == Order::seq_cst) execution.counters.cut_store = 1;
  }
  believe_private(begin);
  expect_news(begin);
  execution.block(Block::spin, pc, 0, 0);
}

void idle(std::uint64_t pc) {
  settle_plain_writes();
  execution.heartbeat = execution.heartbeat + 1;
  if (++execution.current->idle_yields == kManyIdleYields) execution.step_aside();
  if (execution.current->idle_yields > kMostIdleYields) {
    execution.unsupported(pc, "thread %u yields again and again without looking at anything atomic",
                          execution.current->id);
  }
}

bool round_reads_newest(const Thread& t, bool queues) {
  for (std::uint32_t i = t.loop_start; i < execution.graph().size(t.id); ++i) {
    const Event& e = execution.graph().at(t.id, i);
    if (e.kind != Kind::read) continue;
    const ObjectKind kind = objects[e.location].kind;
    if (!queues && (kind == ObjectKind::futex_queue || kind == ObjectKind::condition)) continue;
    if (!reads_newest(event_id(t.id, i))) return false;
  }
  return true;
}

// With the queues that it has looked at: who wakes the sleepers of one in each round wakes who has
// come since the last.
bool repeated_round_reads_newest(const Thread& t) { return round_reads_newest(t, true); }
constinit const BlockedAt kBlockedInLoop{"repeats a loop that changes nothing",
                                         repeated_round_reads_newest, describe, no_known_holders};

}  // namespace fencepost::checker
