// SPDX-License-Identifier: MIT
//
// A heavy fence that nobody waits for: it is begun, and at some time later it is over.
//
//     unlinked.store(…);                                  // what light sides must see
//     auto ticket = fencepost::barrier_ticket::begin();
//     …                                                   // something useful
//     if (ticket.ready()) …                               // does not block
//     ticket.wait();                                      // is over soon
//
// Guaranteed: once ready() is true or wait_until() has returned, it is as if
// asymmetric_thread_fence_heavy() had been executed at some moment since begin(). Of it and a light
// fence one comes first, and what precedes it is seen behind the other.
// Not guaranteed: that ready() ever becomes true by itself. A clock can stop, and a processor can
// go without interrupts. Who only asks has a time after which they call finish().
//
// How it works. The processors are interrupted all the time, by their ticks and by each other, and
// every switch of threads is a full fence, too. An interrupt clock (interrupt_clock.hpp,
// docs/library/barrierd.md) says when each processor last had one; when all of them have since
// begin(), everybody has executed a full fence, and nobody was disturbed for it. That takes up to a
// tick of the scheduler, 1 to 10 milliseconds. Who blocks wants to go on earlier: a waiter has
// `patience` since begin(), and a deadline, and when one of them is near executes a heavy fence
// after all. That interrupts the processors on which this process runs at that moment, and none of
// another's; it does for every ticket that was begun before it, so where many wait one of them
// pays. Where there is no clock, begin() does it, and the ticket is ready at once.
//
// The caller's own processor has passed already, though nothing interrupts it: the thread itself
// executed a full fence in begin(). Any other thread that was on that processor since has been
// switched in or out. Therefore it does not matter if the caller moves to another processor
// afterwards; what matters is that it was there at some moment after the time was taken, so the
// processor is asked for behind it.
//
// Threads on processors of their own, which nothing interrupts, call barrier_check_in()
// (barrier_ticket/check_in.hpp). Where all threads that matter are bound to some processors, a
// ticket may be for these alone.
//
// Source: P. Khuong, "Preemption is GC for memory reordering" (2019), and barrierd.
#pragma once

#include "fencepost/language.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "fencepost/asymmetric_fence.hpp"
#include "fencepost/barrier_ticket/check_in.hpp"
#include "fencepost/barrier_ticket/fences.hpp"
#include "fencepost/detail/kernel.hpp"
#include "fencepost/futex.hpp"
#include "fencepost/interrupt_clock.hpp"

namespace fencepost {

/// A value; may be copied, and passed to other threads as other values are.
class [[nodiscard]] barrier_ticket {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using nanoseconds = std::chrono::nanoseconds;

  /// How long a ticket is waited for, since its begin(), before the waiter does what others would
  /// have done for nothing: long enough for idle processors, which pass within half of a
  /// millisecond, and for every tick of a kernel that has a thousand a second; where it has 250, 3
  /// of 10 processors that compute without pause are interrupted within it, and all others are
  /// asked.
  static constexpr nanoseconds usual_patience = std::chrono::microseconds(1200);
  /// What waits for the clock up to the deadline, and disturbs nobody before.
  static constexpr nanoseconds no_end = nanoseconds::max();

  /// Begins a heavy fence. `subset`: the processors that all threads that matter are bound to,
  /// which must outlive the ticket; null: all. Where there is an interrupt clock this is a full
  /// fence and a look at the time; otherwise it is the heavy fence.
  static barrier_ticket begin(const cpu_set_t* subset = nullptr) noexcept {
    // Where light fences are full ones no clock is looked for: this may be a sandbox that kills for
    // it, which the process has prepared for by choosing them.
    return begin_by(
        light_fence_is_free(asymmetric_fence_strategy()) ? interrupt_clock::process() : nullptr,
        subset);
  }

  /// The same by another clock than the process's; null: by none.
  static barrier_ticket begin_by(const interrupt_clock* clock,
                                 const cpu_set_t* subset = nullptr) noexcept {
    barrier_ticket ticket;
    // Where light fences are full ones, one on this side is all that is needed.
    if (clock != nullptr && light_fence_is_free(asymmetric_fence_strategy())) {
      ticket.clock_ = clock;
      ticket.subset_ = subset;
      ticket.since_ = interrupt_clock::now();
      ticket.fences_ = ticket::fences_begun();
      ticket.own_ = static_cast<std::uint16_t>(::sched_getcpu());
      ticket.next_ = static_cast<std::uint16_t>(clock->slots_count() - 1);
    } else {
      // heavy: what precedes is seen by who comes behind a light fence. Proof: store_buffering.
      asymmetric_thread_fence_heavy();
    }
    return ticket;
  }

  /// Whether it is over. Looks at a cache line for each processor that had not passed when it was
  /// last asked.
  bool ready() noexcept {
    if (clock_ == nullptr) return true;
    if (!ticket::fence_over_since(fences_) && !all_have_passed()) return false;
    clock_ = nullptr;
    return true;
  }

  /// Waits until it is over: when begin() is `patience` ago, or at the deadline, or as much later
  /// as a heavy fence takes; later ones than the system can wake a thread for are not counted.
  /// True: what others did sufficed. False: this thread executed a heavy fence, for its time was up
  /// or the clock has died.
  bool wait_until(time_point deadline, nanoseconds patience = usual_patience) noexcept {
    using std::chrono::microseconds;
    constexpr nanoseconds longest = std::chrono::milliseconds(1);
    const bool woken = clock_ != nullptr && clock_->wakes() != nullptr;
    // The end of the first pause is itself an interrupt, at which idle processors are looked for.
    for (nanoseconds pause = microseconds(50); !ready();
         pause = woken ? longest : std::min(pause * 3 / 2, longest)) {
      const auto now = std::chrono::steady_clock::now();
      const nanoseconds rest = std::min(rest_until(deadline, now), rest_of(patience, now));
      if (rest <= nanoseconds::zero() || !clock_->alive(processors::monotonic_now())) {
        finish();
        return false;
      }
      doze(std::min(pause, rest));
    }
    return true;
  }

  template <class Rep, class Period>
  bool wait_for(std::chrono::duration<Rep, Period> longest,
                nanoseconds patience = usual_patience) noexcept {
    return wait_until(futex::deadline_after(longest), patience);
  }

  /// Waits without a deadline, and that is: until begin() is `patience` ago.
  bool wait(nanoseconds patience = usual_patience) noexcept {
    return wait_until(time_point::max(), patience);
  }

  /// Has it over now, by a heavy fence where it is not.
  void finish() noexcept {
    if (ready()) return;
    ticket::fence_for_all();
    clock_ = nullptr;
  }

 private:
  /// So long before the deadline waiting ends: what a sleep of Linux may take longer than asked
  /// for, and a heavy fence.
  static constexpr nanoseconds nearly = std::chrono::microseconds(100);

  barrier_ticket() noexcept = default;

  void doze(nanoseconds longest) noexcept {
    if (clock_->sleep(since_, longest, [this] { return ready(); })) return;
    kernel::sleep({0, static_cast<long>(longest.count())});
  }

  static nanoseconds rest_until(time_point deadline, time_point now) noexcept {
    return deadline <= now ? nanoseconds::zero() : deadline - now - nearly;
  }

  [[nodiscard]] nanoseconds rest_of(nanoseconds patience, time_point now) const noexcept {
    if (patience == no_end) return no_end;
    const auto since = nanoseconds(static_cast<std::int64_t>(since_));
    return std::max(patience, nanoseconds::zero()) - (now.time_since_epoch() - since);
  }

  [[nodiscard]] bool all_have_passed() noexcept {
    for (;; --next_) {
      if (!has_passed(next_)) return false;
      if (next_ == 0) return true;
    }
  }

  [[nodiscard]] bool has_passed(std::uint32_t cpu) const noexcept {
    if (cpu == own_) return true;
    if (subset_ != nullptr && cpu < CPU_SETSIZE && !CPU_ISSET(cpu, subset_)) return true;
    return clock_->passed(since_, cpu) || ticket::has_checked_in_since(since_, cpu);
  }

  const interrupt_clock* clock_ = nullptr;  // null: it is over
  const cpu_set_t* subset_ = nullptr;
  std::uint64_t since_ = 0;
  std::uint32_t fences_ = 0;  // those of waiters that had begun by then
  std::uint16_t own_ = 0;     // a processor on which its thread was later than that
  std::uint16_t next_ = 0;    // the last processor that is not known to have passed
};

}  // namespace fencepost
