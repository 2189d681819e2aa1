// SPDX-License-Identifier: MIT
// At the end of an execution in which somebody is blocked: is it for ever?
//
// A sleeper whose bit is still set, a thread at a barrier that is not full or a latch that is not
// at 0, and one that joins another that never ends are. A thread that spins, or waits for a lock or
// a semaphore, is only if what it read was the newest there is: otherwise it would see something
// newer in time, and that is another execution. Nothing is reported as long as one thread is merely
// behind the news.
#include <cstdio>
#include <cstring>

#include "program/runtime.hpp"

namespace fencepost::checker {
namespace {

// Does this read see the newest value? Later writes that come to nothing do not count: those that
// store what was there, and those of an iteration without effect (locking and unlocking), once it
// is over.
bool reads_newest(Graph& g, EventId read, LocationId at) {
  Location& l = g.location(at);
  if (l.writes.empty()) return true;
  const EventId from = g.source(read, at);
  if (g.value_of(at, l.writes.back()) != g.value_of(at, from)) return false;
  for (std::uint32_t k = g.rank(from, at); k < l.writes.size(); ++k) {
    const EventId w = l.writes[k];
    const Thread& writer = runtime.thread(w.thread());
    const bool in_vain = writer.state == ThreadState::blocked && writer.block == Block::spin &&
                         w.index() >= writer.loop_start;
    if (!in_vain && (g.at(w).flags & kSilent) == 0) return false;
  }
  return true;
}

bool reads_newest(Graph& g, EventId read) {
  const Event& e = g.at(read);
  for (LocationId at = e.location; at <= e.location + e.more; ++at) {
    if (!reads_newest(g, read, at)) return false;
  }
  return true;
}

bool for_ever(Graph& g, const Thread& t) {
  if (t.block_timed && runtime.options.timeouts) return false;  // in other executions it times out
  switch (t.block) {
    case Block::mutex:
    case Block::spin_lock:
    case Block::read_lock:
    case Block::write_lock:
    case Block::semaphore:
      return reads_newest(g, event_id(t.id, t.cursor - 1));
    case Block::latch:
      return t.block_location == 0 || reads_newest(g, event_id(t.id, t.cursor - 1));
    case Block::spin:
      for (std::uint32_t i = t.loop_start; i < g.size(t.id); ++i) {
        const Event& e = g.at(t.id, i);
        if (e.kind == Kind::read && !reads_newest(g, event_id(t.id, i))) return false;
      }
      return true;
    default:
      return true;
  }
}

// Which of several stuck threads is named: one that was to be woken before one that waits for a
// lock, for the lock's holder may be the sleeper; one that spins or joins last.
int rank(Block why) {
  switch (why) {
    case Block::futex:
    case Block::condition:
      return 0;
    case Block::join:
      return 3;
    case Block::spin:
      return 2;
    default:
      return 1;
  }
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

}  // namespace

// Which threads hold a read-write lock, as the end of a sentence.
void Runtime::name_holders(LocationId rwlock, char* text, std::size_t size) {
  const Object& o = objects_[rwlock];
  const LocationId location = hidden(o.kind, o.address);
  std::size_t used = 0;
  text[0] = '\0';
  for (unsigned i = 0; i < graph().threads() && used < size; ++i) {
    const RwlockHeld held = rwlock_held_by(i, location, graph().size(i));
    if (!held.writing && held.reading == 0) continue;
    used += static_cast<std::size_t>(std::snprintf(text + used, size - used, "%s thread %u",
                                                   used == 0 ? ", held by" : " and", i));
  }
}

// What a thread waits for, for ever.
void Runtime::say_what_for(const Thread& t, char* message, std::size_t size) {
  const auto object = static_cast<unsigned long>(t.block_object);
  const auto held_by = [&] {
    return static_cast<unsigned long>(graph().at(t.id, t.cursor - 1).value) - 1;
  };
  char holders[160];
  switch (t.block) {
    case Block::futex:
    case Block::condition:
      std::snprintf(message, size,
                    "thread %u sleeps on the %s at 0x%lx and nothing left can wake it", t.id,
                    t.block == Block::futex ? "futex word" : "condition variable", object);
      break;
    case Block::mutex:
    case Block::spin_lock:
      std::snprintf(message, size,
                    "thread %u waits for the %s at 0x%lx, held by thread %lu, for ever", t.id,
                    t.block == Block::mutex ? "mutex" : "spin lock", object, held_by());
      break;
    case Block::read_lock:
    case Block::write_lock:
      name_holders(t.block_location, holders, sizeof holders);
      std::snprintf(message, size,
                    "thread %u waits to %s under the read-write lock at 0x%lx%s, for ever", t.id,
                    t.block == Block::read_lock ? "read" : "write", object, holders);
      break;
    case Block::semaphore:
      std::snprintf(message, size,
                    "thread %u waits for the semaphore at 0x%lx, which is 0, and nobody is left to "
                    "post it",
                    t.id, object);
      break;
    case Block::barrier:
      if (t.block_missing == 0) {
        std::snprintf(message, size,
                      "thread %u waits at the barrier at 0x%lx for its completion function, which "
                      "never ends",
                      t.id, object);
        break;
      }
      std::snprintf(message, size,
                    "thread %u waits at the barrier at 0x%lx for %lu that never come", t.id, object,
                    static_cast<unsigned long>(t.block_missing));
      break;
    case Block::latch:
      std::snprintf(
          message, size,
          "thread %u waits for the latch at 0x%lx, which is at %lu, and nobody is left "
          "to count it down",
          t.id, object,
          static_cast<unsigned long>(t.block_location == 0 ? t.block_missing
                                                           : graph().at(t.id, t.cursor - 1).value));
      break;
    case Block::spin:
      std::snprintf(
          message, size,
          "thread %u spins for ever: it reads the newest values and nobody will change them", t.id);
      break;
    default:
      std::snprintf(message, size, "thread %u joins thread %lu, which never ends", t.id, object);
  }
  if (!t.block_timed) return;
  const std::size_t used = std::strlen(message);
  std::snprintf(message + used, size - used, " (its time limit is not counted on; see --timeouts)");
}

// May this thread wait for ever? It may if it has said so; and once main has returned nobody misses
// a detached thread, or, with --daemons, any other.
bool Runtime::is_daemon(const Thread& t) const {
  if (t.ends_process) return false;
  return t.daemon || (main_returned && (t.detached || options.daemons));
}

bool Runtime::judge_blocked() {
  const Thread* stuck = nullptr;
  std::uint64_t daemons = 0;
  std::uint64_t waiting = 0;
  for (unsigned i = 0; i < thread_count_; ++i) {
    const Thread& t = threads_[i];
    if (t.state != ThreadState::blocked) continue;
    waiting |= std::uint64_t{1} << i;
    if (!for_ever(graph(), t)) return false;
    if (is_daemon(t)) {
      daemons |= std::uint64_t{1} << i;
      continue;
    }
    if (stuck == nullptr || rank(t.block) < rank(stuck->block)) stuck = &t;
  }
  if (exited) {
    totals.left_waiting |= waiting;
    return true;
  }
  totals.daemons |= daemons;
  if (stuck == nullptr) return true;
  violation.found = true;
  violation.highlights = 0;
  violation.thread = stuck->id;
  violation.pc = stuck->block_pc;
  violation.kind = kind_of(stuck->block);
  say_what_for(*stuck, violation.message, sizeof violation.message);
  if (rank(stuck->block) == 0) highlight_last_accesses(graph(), *stuck, violation);
  return false;
}

}  // namespace fencepost::checker
