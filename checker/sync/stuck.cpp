// SPDX-License-Identifier: MIT
// At the end of an execution in which somebody is blocked: is it for ever?
//
// A sleeper whose bit is still set, a thread at a barrier that is not full or a latch that is not
// at 0, and one that joins another that never ends are. A thread that spins, or waits for a lock or
// a semaphore, is only if what it read was the newest there is: otherwise it would see something
// newer in time, and that is another execution. Nothing is reported as long as one thread is merely
// behind the news.
#include "sync/stuck.hpp"

#include <cstdio>
#include <cstring>

#include "execution/above.hpp"
#include "execution/execution.hpp"
#include "execution/loops/loops.hpp"
#include "execution/loops/retries.hpp"
#include "graph/state_section.hpp"
#include "sync/barriers/barriers.hpp"
#include "sync/barriers/latches.hpp"
#include "sync/condition_variables.hpp"
#include "sync/futexes.hpp"
#include "sync/futures.hpp"
#include "sync/joining.hpp"
#include "sync/locks/mutexes.hpp"
#include "sync/locks/read_write_locks.hpp"
#include "sync/locks/semaphores.hpp"
#include "sync/locks/spin_locks.hpp"
#include "sync/process_end.hpp"
#include "sync/time_limits.hpp"

namespace fencepost::checker {
namespace {

FENCEPOST_CHECKER_STATE char unended_text[256] = "";
FENCEPOST_CHECKER_STATE std::uint64_t unended_at = 0;

bool never_stuck(const Thread&) { return false; }
void says_nothing(const Thread&, char* message, std::size_t) { message[0] = '\0'; }

constexpr BlockedAt kBlockedByAssumption{"stops at assume()", never_stuck, says_nothing,
                                         no_known_holders};
constexpr BlockedAt kBlockedTogether{"takes several mutexes", never_stuck, says_nothing,
                                     no_known_holders};

// Is this event in a round that its thread repeats and that comes to nothing?
bool is_repeated(EventId e) {
  const Thread& t = execution.threads[e.thread()];
  return t.state == ThreadState::blocked && (t.block == Block::spin || is_out_of_limits(t)) &&
         e.index() >= t.loop_start;
}

// Might a deadline have passed as the thread looked at a clock in the round that it repeats? That
// is another execution. At its very first look at a clock none does.
bool might_pass(const Thread& t) {
  for (std::uint32_t i = t.loop_start; i < execution.graph().size(t.id); ++i) {
    const Event& e = execution.graph().at(t.id, i);
    if (e.kind == Kind::choice && e.what == Operation::deadline_passes) return true;
  }
  return false;
}

// Which of several stuck threads is named: one that was to be woken before one that waits for a
// lock, for the lock's holder may be the sleeper; one that spins or joins last.
int rank(Block why) {
  switch (why) {
    case Block::futex:
    case Block::condition:
    case Block::future:
      return 0;
    case Block::join:
      return 3;
    case Block::spin:
      return 2;
    default:
      return 1;
  }
}

// Does this read see the newest value? Later writes that come to nothing do not count: those that
// store what was there, and those of an iteration without effect (locking and unlocking), once it
// is over. Nor does a read of what its own round has written: each write of a round belongs to a
// read-modify-write, or to a section that one begins, and that one has looked at what was there.
bool reads_newest_at(EventId read, LocationId at) {
  Graph& g = execution.graph();
  Location& l = g.location(at);
  if (l.writes.empty()) return true;
  const EventId from = g.source(read, at);
  if (from != kInitial && from.thread() == read.thread() && is_repeated(from)) return true;
  if (g.value_of(at, l.writes.back()) != g.value_of(at, from)) return false;
  for (std::uint32_t k = g.rank(from, at); k < l.writes.size(); ++k) {
    const EventId w = l.writes[k];
    if (!is_repeated(w) && (g.at(w).flags & kSilent) == 0) return false;
  }
  return true;
}

const char* kind_of(Block why) {
  return rank(why) == 0 ? "lost-wakeup" : why == Block::spin ? "non-termination" : "deadlock";
}

// The sleeper's announcement and its last look.
void highlight_last_accesses(Graph& g, const Thread& t, Violation& violation) {
  for (std::uint32_t i = g.size(t.id); i-- > 1 && violation.highlights < 2;) {
    const Event& e = g.at(t.id, i);
    if (e.kind == Kind::read || e.kind == Kind::write) {
      violation.highlight[violation.highlights++] = event_id(t.id, i);
    }
  }
}

// May this thread wait for ever? It may if it has said so; and once main has returned nobody misses
// a detached thread, or, with --daemons, any other.
bool is_daemon(const Thread& t) {
  if (t.ends_process) return false;
  return t.daemon || (process_end.main_returned && (t.detached || execution.options.daemons));
}

void say_who_waits() {
  std::size_t used = 0;
  for (unsigned i = 0; i < execution.thread_count && used < sizeof unended_text; ++i) {
    const Thread& t = execution.threads[i];
    if (t.state != ThreadState::blocked || is_daemon(t)) continue;
    if (t.block == Block::assumption) unended_at = t.block_pc;
    used += static_cast<std::size_t>(std::snprintf(
        unended_text + used, sizeof unended_text - used, "%sthread %u %s%s", used == 0 ? "" : ", ",
        i, blocked_at(t.block).does, t.block_timed ? " with a time limit" : ""));
  }
}

// What the thread waits for, for ever.
void say_what_for(const Thread& t, char* message, std::size_t size) {
  blocked_at(t.block).describe(t, message, size);
  if (!t.block_timed) return;
  const std::size_t used = std::strlen(message);
  std::snprintf(message + used, size - used, " (its time limit is not counted on; see --timeouts)");
}

}  // namespace

bool reads_newest(EventId read) {
  const Event& e = execution.graph().at(read);
  for (LocationId at = e.location; at <= e.location + e.more; ++at) {
    if (!reads_newest_at(read, at)) return false;
  }
  return true;
}

bool last_read_is_newest(const Thread& t) { return reads_newest(event_id(t.id, t.cursor - 1)); }

const BlockedAt& blocked_at(Block why) {
  switch (why) {
    case Block::futex:
      return kBlockedAtFutex;
    case Block::condition:
      return kBlockedAtCondition;
    case Block::mutex:
      return kBlockedAtMutex;
    case Block::spin_lock:
      return kBlockedAtSpinLock;
    case Block::read_lock:
      return kBlockedToRead;
    case Block::write_lock:
      return kBlockedToWrite;
    case Block::semaphore:
      return kBlockedAtSemaphore;
    case Block::barrier:
      return kBlockedAtBarrier;
    case Block::latch:
      return kBlockedAtLatch;
    case Block::future:
      return kBlockedAtFuture;
    case Block::spin:
      return kBlockedInLoop;
    case Block::retry:
      return kBlockedInRetry;
    case Block::together:
      return kBlockedTogether;
    case Block::assumption:
      return kBlockedByAssumption;
    default:
      return kBlockedAtJoin;
  }
}

const char* unended() { return unended_text; }
std::uint64_t unended_place() { return unended_at; }

void stop_at_assumption(std::uint64_t pc) {
  const Thread& t = *execution.current;
  execution.same(t.cursor >= t.logged, pc);  // where it went on before
  execution.counters.assumed = 1;
  for (;;) execution.block(Block::assumption, pc, 0, 0);
}

bool judge_blocked() {
  std::uint64_t daemons = 0;
  std::uint64_t waiting = 0;
  std::uint64_t limited = 0;
  std::uint64_t assumed = 0;
  if (execution.counters.executions == 0 && unended_text[0] == '\0') say_who_waits();
  for (unsigned i = 0; i < execution.thread_count; ++i) {
    Thread& t = execution.threads[i];
    if (t.state != ThreadState::blocked || !has_limit(t)) continue;
    if (!is_out_of_limits(t) && (t.block != Block::spin || might_pass(t)))
      return false;  // in other executions it times out
    if (t.block != Block::spin) t.loop_start = last_time_out(t);
    limited |= std::uint64_t{1} << i;
  }
  for (unsigned i = 0; i < execution.thread_count; ++i) {
    const Thread& t = execution.threads[i];
    if (t.state != ThreadState::blocked) continue;
    const std::uint64_t bit = std::uint64_t{1} << i;
    waiting |= bit;
    const bool is_stuck =
        (limited & bit) != 0 ? round_reads_newest(t, false) : blocked_at(t.block).is_stuck(t);
    if (is_daemon(t)) daemons |= bit;
    if (is_stuck) continue;
    // The process may end before a thread comes to what it is to assume.
    if (t.block != Block::assumption || !(process_end.exited || is_daemon(t))) return false;
    assumed |= bit;
  }
  if (process_end.exited) {
    execution.counters.left_waiting |= waiting;
    return true;
  }
  if (assumed != 0 && (waiting & ~daemons) != 0) return false;  // perhaps for one of them
  const std::uint64_t stuck = limited == 0 ? waiting : stuck_anyway(waiting & ~limited);
  const Thread* named = nullptr;
  for (std::uint64_t left = stuck & ~daemons; left != 0; left &= left - 1) {
    const Thread& t = execution.threads[__builtin_ctzll(left)];
    if (named == nullptr || rank(t.block) < rank(named->block)) named = &t;
  }
  if (named == nullptr) {
    if ((waiting & ~daemons) != 0) {
      execution.counters.out_of_limits |= limited;
      return false;
    }
    execution.counters.daemons |= daemons;
    return true;
  }
  execution.counters.daemons |= daemons;
  execution.violation.found = true;
  execution.violation.highlights = 0;
  execution.violation.thread = named->id;
  execution.violation.pc = named->block_pc;
  execution.violation.kind = kind_of(named->block);
  say_what_for(*named, execution.violation.message, sizeof execution.violation.message);
  if (rank(named->block) == 0)
    highlight_last_accesses(execution.graph(), *named, execution.violation);
  return false;
}

}  // namespace fencepost::checker
