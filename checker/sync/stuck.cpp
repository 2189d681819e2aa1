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

#include "execution/runtime.hpp"

namespace fencepost::checker {
namespace {

// Is this event in a round that its thread repeats and that comes to nothing?
bool is_repeated(EventId e) {
  const Thread& t = runtime.thread(e.thread());
  return t.state == ThreadState::blocked &&
         (t.block == Block::spin || runtime.is_out_of_limits(t)) && e.index() >= t.loop_start;
}

// Does this read see the newest value? Later writes that come to nothing do not count: those that
// store what was there, and those of an iteration without effect (locking and unlocking), once it
// is over. Nor does a read of what its own round has written: each write of a round belongs to a
// read-modify-write, or to a section that one begins, and that one has looked at what was there.
bool reads_newest(Graph& g, EventId read, LocationId at) {
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

bool reads_newest(Graph& g, EventId read) {
  const Event& e = g.at(read);
  for (LocationId at = e.location; at <= e.location + e.more; ++at) {
    if (!reads_newest(g, read, at)) return false;
  }
  return true;
}

bool for_ever(Graph& g, const Thread& t) {
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
      return runtime.round_reads_newest(t);
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

bool Runtime::round_reads_newest(const Thread& t) {
  for (std::uint32_t i = t.loop_start; i < graph().size(t.id); ++i) {
    const Event& e = graph().at(t.id, i);
    if (e.kind != Kind::read) continue;
    const ObjectKind kind = objects_[e.location].kind;
    if (kind == ObjectKind::futex_queue || kind == ObjectKind::condition) continue;
    if (!reads_newest(graph(), event_id(t.id, i))) return false;
  }
  return true;
}

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

void Runtime::say_who_waits() {
  const auto what_for = [](Block why) {
    switch (why) {
      case Block::join:
        return "joins another";
      case Block::futex:
      case Block::condition:
        return "sleeps";
      case Block::barrier:
        return "waits at a barrier";
      case Block::latch:
        return "waits for a latch";
      case Block::semaphore:
        return "waits for a semaphore";
      case Block::spin:
        return "repeats a loop that changes nothing";
      default:
        return "waits for a lock";
    }
  };
  std::size_t used = 0;
  for (unsigned i = 0; i < thread_count_ && used < sizeof unended_; ++i) {
    const Thread& t = threads_[i];
    if (t.state != ThreadState::blocked || is_daemon(t)) continue;
    used += static_cast<std::size_t>(std::snprintf(
        unended_ + used, sizeof unended_ - used, "%sthread %u %s%s", used == 0 ? "" : ", ", i,
        what_for(t.block), t.block_timed ? " with a time limit" : ""));
  }
}

// May this thread wait for ever? It may if it has said so; and once main has returned nobody misses
// a detached thread, or, with --daemons, any other.
bool Runtime::is_daemon(const Thread& t) const {
  if (t.ends_process) return false;
  return t.daemon || (main_returned && (t.detached || options.daemons));
}

bool Runtime::judge_blocked() {
  std::uint64_t daemons = 0;
  std::uint64_t waiting = 0;
  std::uint64_t limited = 0;
  if (counters.executions == 0 && unended_[0] == '\0') say_who_waits();
  for (unsigned i = 0; i < thread_count_; ++i) {
    Thread& t = threads_[i];
    if (t.state != ThreadState::blocked || !has_limit(t)) continue;
    if (!is_out_of_limits(t)) return false;  // in other executions it times out
    t.loop_start = last_time_out(t);
    limited |= std::uint64_t{1} << i;
  }
  for (unsigned i = 0; i < thread_count_; ++i) {
    const Thread& t = threads_[i];
    if (t.state != ThreadState::blocked) continue;
    const std::uint64_t bit = std::uint64_t{1} << i;
    waiting |= bit;
    if ((limited & bit) != 0 ? !round_reads_newest(t) : !for_ever(graph(), t)) return false;
    if (is_daemon(t)) daemons |= bit;
  }
  if (exited) {
    counters.left_waiting |= waiting;
    return true;
  }
  const std::uint64_t stuck = limited == 0 ? waiting : stuck_anyway(waiting & ~limited);
  const Thread* named = nullptr;
  for (std::uint64_t left = stuck & ~daemons; left != 0; left &= left - 1) {
    const Thread& t = threads_[__builtin_ctzll(left)];
    if (named == nullptr || rank(t.block) < rank(named->block)) named = &t;
  }
  if (named == nullptr) {
    if ((waiting & ~daemons) != 0) {
      counters.out_of_limits |= limited;
      return false;
    }
    counters.daemons |= daemons;
    return true;
  }
  counters.daemons |= daemons;
  violation.found = true;
  violation.highlights = 0;
  violation.thread = named->id;
  violation.pc = named->block_pc;
  violation.kind = kind_of(named->block);
  say_what_for(*named, violation.message, sizeof violation.message);
  if (rank(named->block) == 0) highlight_last_accesses(graph(), *named, violation);
  return false;
}

}  // namespace fencepost::checker
