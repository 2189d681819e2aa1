// SPDX-License-Identifier: MIT
//
// What is counted of a lock, in the order in which a thread comes by.
//
// A thread that has a lock alone adds to its counters without a barrier of the processor's, for the
// lock orders it among those that do the same; everybody else adds atomically. Those who read a
// counter from outside want its value, and order nothing by it: all are relaxed.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>

#include "recording.hpp"

namespace fencepost::profiler {

inline void add(counter& to, std::uint64_t amount) noexcept {
  to.fetch_add(amount, std::memory_order_relaxed);
}

/// For a lock that the calling thread has alone.
inline void add_alone(counter& to, std::uint64_t amount) noexcept {
  to.store(to.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

inline std::size_t entry_for(std::uint64_t duration) noexcept {
  const auto at = static_cast<std::size_t>(std::bit_width(duration));
  return at < std::tuple_size_v<histogram> ? at : std::tuple_size_v<histogram> - 1;
}

/// The sleep that the calling thread is in is over: it has returned, or was left by cancellation.
inline void awake(thread& me) noexcept {
  const std::uint64_t since = std::exchange(current.sleeping, 0);
  if (since == 0) return;
  add_alone(me.slept, now() - since);
  add_alone(me.sleeps, 1);
}

/// One wait of a thread for a lock or a notification, from its construction on. Not `is_seen`
/// where it is glibc that sleeps, in a run on another lock.
class waiting {
 public:
  waiting(thread& me, lock& one, const void* from, mode how = mode::alone,
          bool is_seen = true) noexcept
      : me_(me), one_(one), stack_(stack_to(one, from)) {
    awake(me);
    slept_ = own(me.slept);
    sleeps_ = own(me.sleeps);
    if (!is_seen) {
      one.unseen.store(1, std::memory_order_relaxed);
      me.unseen = 1;
    }
    me.waits_at = site_of(from);
    me.waits_mode = static_cast<std::uint16_t>(how);
    began_ = now();
    me.waits_since.store(began_, std::memory_order_relaxed);
    // release: a reader that sees the lock sees the rest.
    me.waits_for.store(number_of(one), std::memory_order_release);
  }

  /// It is over, with what was waited for or without.
  void ended(bool has_it) noexcept {
    awake(me_);
    const std::uint64_t waited = now() - began_;
    me_.waits_for.store(0, std::memory_order_relaxed);
    add(one_.waited, waited);
    add(one_.slept, own(me_.slept) - slept_);
    add(one_.sleeps, own(me_.sleeps) - sleeps_);
    add(one_.waits[entry_for(waited)], 1);
    add(has_it ? one_.contended : one_.timed_out, 1);
    if (one_.kind <= static_cast<std::uint32_t>(kind::spin)) add_alone(me_.waited, waited);
    add_to_stack(stack_, waited);
  }

 private:
  static std::uint64_t own(const counter& mine) noexcept {
    return mine.load(std::memory_order_relaxed);
  }

  thread& me_;
  lock& one_;
  std::uint32_t stack_;
  std::uint64_t slept_ = 0;
  std::uint64_t sleeps_ = 0;
  std::uint64_t began_ = 0;
};

/// The thread's holding of a lock, or null.
inline holding* holding_of(thread& me, std::uint32_t number) noexcept {
  for (std::uint32_t at = me.holds.load(std::memory_order_relaxed); at-- != 0;) {
    if (me.held[at].lock.load(std::memory_order_relaxed) == number) return &me.held[at];
  }
  return nullptr;
}

/// It has this one no more.
inline void forget(thread& me, holding& one) noexcept {
  const std::uint32_t last = me.holds.load(std::memory_order_relaxed) - 1;
  for (auto at = static_cast<std::uint32_t>(&one - me.held.data()); at < last; ++at) {
    holding& to = me.held[at];
    const holding& next = me.held[at + 1];
    to.lock.store(next.lock.load(std::memory_order_relaxed), std::memory_order_relaxed);
    to.site = next.site;
    to.since = next.since;
    to.mode = next.mode;
    to.depth = next.depth;
  }
  me.holds.store(last, std::memory_order_relaxed);
}

/// The calling thread has got the lock.
inline void acquired(thread& me, lock& one, const void* from, mode how) noexcept {
  const std::uint32_t number = number_of(one);
  if (number <= kinds) {  // several locks, which are not told apart
    add(how == mode::alone ? one.acquisitions : one.shared, 1);
    return;
  }
  if (how == mode::alone) {
    const std::uint32_t before = one.last.load(std::memory_order_relaxed);
    if (before != me.serial) {
      if (before != 0) add_alone(one.handovers, 1);
      one.last.store(me.serial, std::memory_order_relaxed);
    } else if (holding* again = holding_of(me, number); again != nullptr) {
      ++again->depth;  // of a recursive mutex
      return;
    }
    add_alone(one.acquisitions, 1);
  } else {
    add(one.shared, 1);
  }
  const std::uint32_t at = me.holds.load(std::memory_order_relaxed);
  if (at == me.held.size()) {
    me.more_held.fetch_add(1, std::memory_order_relaxed);
    one.unmeasured.fetch_add(1, std::memory_order_relaxed);
    if (how == mode::alone) {
      one.beyond.store(me.tid.load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    return;
  }
  holding& mine = me.held[at];
  mine.lock.store(number, std::memory_order_relaxed);
  mine.site = site_of(from);
  mine.mode = static_cast<std::uint32_t>(how);
  mine.depth = 1;
  mine.since = now();
  // release: a reader that sees it counted sees it whole.
  me.holds.store(at + 1, std::memory_order_release);
}

/// The calling thread is about to release the lock, of which it may have several holdings.
inline void releasing(thread& me, lock& one) noexcept {
  const std::uint32_t number = number_of(one);
  if (number <= kinds) return;
  holding* const mine = holding_of(me, number);
  if (mine == nullptr) {
    // One of those that found no room, or another thread's.
    if (one.beyond.load(std::memory_order_relaxed) == me.tid.load(std::memory_order_relaxed)) {
      one.beyond.store(0, std::memory_order_relaxed);
    }
    const std::uint32_t more = me.more_held.load(std::memory_order_relaxed);
    if (more != 0) me.more_held.store(more - 1, std::memory_order_relaxed);
    return;
  }
  if (mine->depth > 1) {
    --mine->depth;
    return;
  }
  const std::uint64_t held = now() - mine->since;
  if (mine->mode == static_cast<std::uint32_t>(mode::alone)) {
    add_alone(one.held, held);
    add_alone(one.holds[entry_for(held)], 1);
  } else {
    add(one.held, held);
    add(one.holds[entry_for(held)], 1);
  }
  forget(me, *mine);
}

/// While it lives, threads that the kernel is told to wake are woken by the release of this lock.
class waking {
 public:
  explicit waking(lock* one) noexcept : before_(current.releasing) { current.releasing = one; }
  ~waking() { current.releasing = before_; }
  waking(const waking&) = delete;
  waking& operator=(const waking&) = delete;

 private:
  lock* before_;
};

/// Takes a lock: attempt() without waiting, and if that says `busy`, wait(). Both return an error
/// number.
template <class Attempt, class Wait>
int take(thread& me, lock& one, const void* from, mode how, int busy, Attempt attempt, Wait wait,
         bool is_seen = true) {
  int error = attempt();
  if (error == busy) {
    waiting here(me, one, from, how, is_seen);
    error = wait();
    here.ended(error == 0);
  }
  if (error == 0) acquired(me, one, from, how);
  return error;
}

/// Tries to take one.
template <class Attempt>
int try_to_take(thread& me, lock& one, const void* from, mode how, Attempt attempt) {
  const int error = attempt();
  if (error == 0) {
    acquired(me, one, from, how);
  } else {
    add(one.refused, 1);
  }
  return error;
}

}  // namespace fencepost::profiler
