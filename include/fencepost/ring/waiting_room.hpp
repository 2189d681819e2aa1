// SPDX-License-Identifier: MIT
//
// Where the threads of one side of a ring sleep: an event count that counts no events.
//
// An event count is a version that changes with every event, and a flag that says "somebody may
// sleep". A ring has its version already, for every push and every pop changes one of its words. So
// the side that makes events pays for the flag alone, and for that next to nothing: a light fence
// and a load, while the side that falls asleep pays for a heavy fence.
//
//     push                                 pop, when it found nothing
//       publish the element                  announce()        (count + 1, then a heavy fence)
//       light fence                          look again        (found something: cancel())
//       anybody? then call_one()             sleep()
//
// No call is lost: of the light and the heavy fence one comes first. If the light one does, the
// second look finds the element; if the heavy one does, the push finds the announcement.
//
// How it works. One word, on which threads also sleep: in its low bits the number of announcements
// that nobody has answered, above them the number of calls. A call takes one announcement away,
// adds one to the calls, and wakes one sleeper. Who sleeps or is about to and sees that number
// changed (or was woken, for whatever reason) goes back to look at the ring, and leaves its
// announcement to whoever the call was meant for. Who gives up takes its announcement along, unless
// there was a call in the meantime. One bit in between says that the room is shut: a call of
// everybody that stays, so that whoever asks whether a call is due hears of it.
//
// word_, bits 0 to 10: legal to be larger than the number of threads that sleep uncalled (the
// excess costs a call into the void); illegal to be smaller. Whoever finds it above half of what
// fits calls everybody, so that it begins anew; a thousand threads must not announce themselves at
// the same moment.
// word_, bit 11: set once, by shut(), and stays.
// word_, bit 12: set where light fences of this process are full ones, so that who would do without
// looks twice. That is known when the room is made; a process that loses membarrier later sets it
// when somebody announces itself, who then naps instead of sleeping. Not used between processes,
// which may differ in this.
// word_, the rest: changes with every call; 2^19 calls between the announcement of a thread and its
// falling asleep go unnoticed.
// inside_: the number of threads between announce() and the end of its wait, counted where misuse
// is caught.
#pragma once

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>

#include "fencepost/asymmetric_fence.hpp"
#include "fencepost/detail/last_waker.hpp"
#include "fencepost/detail/ordered_atomic.hpp"
#include "fencepost/futex.hpp"
#include "fencepost/ring/status.hpp"

namespace fencepost::detail {

/// The deadline of those who wait for ever.
struct no_deadline {};

template <futex::scope Scope, ring_tuning Tuning>
class waiting_room {
 public:
  /// What announce() gives and sleep() takes: the calls so far, and how long to believe in them.
  struct ticket {
    std::uint32_t calls;
    /// Whether every thread that may call was reached by the heavy fence. If not, only sleeping
    /// for a bounded time is safe.
    bool certain;
  };

  waiting_room() noexcept : word_(is_free() ? 0 : costly_bit) {}
  waiting_room(const waiting_room&) = delete;
  waiting_room& operator=(const waiting_room&) = delete;

  /// A light fence, and then whether a call is due, or the room is shut. In one process this is one
  /// load, of a line that nobody writes while nobody falls asleep. Pairs with the heavy fence in
  /// announce() and fence_heavily_or_wait().
  [[nodiscard]] bool calls_are_due() const noexcept {
    if constexpr (Scope == futex::scope::process) {
      // seq_cst: the light fence where that is free; a bit of the word says when it is not.
      // Proofs: spsc_no_lost_wakeup, spsc_close, mpmc_no_lost_wakeup.
      std::atomic_signal_fence(std::memory_order_seq_cst);
      // relaxed: the fence orders it.
      if ((word_.load(std::memory_order_relaxed) & (count_mask | shut_bit | costly_bit)) == 0)
          [[likely]]
        return false;
    }
    fence_lightly();
    return (word_.load(std::memory_order_relaxed) & (count_mask | shut_bit)) != 0;
  }

  /// The light fence alone.
  static void fence_lightly() noexcept {
    if constexpr (Scope == futex::scope::process) {
      // Proof: spsc_closed_is_closed.
      asymmetric_thread_fence_light();
    } else {
      // Proofs: spsc_no_lost_wakeup, spsc_close, mpmc_no_lost_wakeup.
      interprocess_asymmetric_thread_fence_light();
    }
  }

  /// Whether anybody announced itself, or the room is shut: a guess.
  [[nodiscard]] bool occupied() const noexcept {
    return (word_.load(std::memory_order_relaxed) & (count_mask | shut_bit)) != 0;
  }

  /// Whether shut() was called. Acquires what was done before that where the order is acquire.
  [[nodiscard]] bool is_shut(std::memory_order order) const noexcept {
    return (word_.load(order) & shut_bit) != 0;
  }

  /// The heavy fence that pairs with it. Where no such fence reaches the other processes, waits for
  /// so long that what they had not yet seen or shown reaches them by itself.
  static void fence_heavily_or_wait() noexcept {
    // Proof: spsc_close.
    if (fence_heavily() && (Scope == futex::scope::shared || is_free())) return;
    const futex::word nothing{0};
    futex::wait_for(nothing, 0, 10 * nap);
  }

  /// Says that the calling thread may be about to sleep. It has to look at the ring afterwards, and
  /// then to call sleep() or cancel().
  [[nodiscard]] ticket announce() noexcept {
    if constexpr (Tuning.catch_misuse) inside_.fetch_add(1, std::memory_order_relaxed);
    // relaxed: the heavy fence acquires what the callers before had published, and an addition in
    // between does not hide from later callers what earlier ones released.
    const std::uint32_t before = word_.fetch_add(one, std::memory_order_relaxed);
    if ((before & count_mask) > count_mask / 2) [[unlikely]]
      call_all();
    // Proofs: spsc_no_lost_wakeup, mpmc_no_lost_wakeup.
    const bool certain = fence_heavily();
    if (Scope == futex::scope::process && (before & costly_bit) == 0 && !is_free()) [[unlikely]] {
      // relaxed: who still takes its fence for free meets a thread that naps.
      word_.fetch_or(costly_bit, std::memory_order_relaxed);
      return {(before & ~count_mask) | costly_bit, false};
    }
    return {before & ~count_mask, certain};
  }

  /// Takes the announcement back: the thread found what it wanted, or its time is over.
  void cancel(ticket own) noexcept {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    while ((seen & ~count_mask) == own.calls) {
      if (word_.compare_exchange_weak(seen, seen - one, std::memory_order_relaxed,
                                      std::memory_order_relaxed)) {
        break;
      }
    }
    leave();
  }

  /// Sleeps until a call that came after the ticket, or until the deadline: then false, and the
  /// thread has to look at the ring once more all the same, for the call may have been its own.
  /// Where the deadline's clock throws, the announcement stands.
  template <class Deadline>
  bool sleep(ticket own, const Deadline& deadline) {
    for (;;) {
      // acquire: what was published before the call is found by the next look, and not only by the
      // one after another heavy fence. Pairs with call(). Proof: call_publishes.
      const std::uint32_t seen = word_.load(std::memory_order_acquire);
      if ((seen & ~count_mask) != own.calls) break;
      const futex::outcome came = sleep_on(seen, own.certain, deadline);
      if (came == futex::outcome::woken) break;
      if (came == futex::outcome::timed_out) {
        const bool in_time = !own.certain && !is_past(deadline);
        cancel(own);
        return in_time;
      }
    }
    leave();
    return true;
  }

  /// Wakes one of those who announced themselves, if any.
  [[gnu::noinline]] void call_one() noexcept { call(false); }

  /// Wakes all of them.
  [[gnu::noinline]] void call_all() noexcept { call(true); }

  /// Wakes all of them, and says so to whoever comes later.
  void shut() noexcept {
    // release: who is told that the room is shut sees what was done before. Pairs with is_shut().
    // Proof: spsc_close_wakes[looks].
    word_.fetch_or(shut_bit, std::memory_order_release);
    call_all();
  }

  /// The number of threads that are waiting.
  [[nodiscard]] std::uint32_t inside() const noexcept {
    return inside_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint32_t one = 1;
  static constexpr std::uint32_t count_mask = 0x7ff;
  static constexpr std::uint32_t shut_bit = count_mask + 1;
  static constexpr std::uint32_t costly_bit = 2 * shut_bit;
  static constexpr std::uint32_t one_call = 2 * costly_bit;

  /// Whether the light fence of this process is free.
  static bool is_free() noexcept { return light_fence_is_free(asymmetric_fence_strategy()); }

  /// Pairs with fence_lightly().
  static bool fence_heavily() noexcept {
    // Proofs: spsc_no_lost_wakeup, spsc_close, mpmc_no_lost_wakeup.
    if constexpr (Scope == futex::scope::process) {
      asymmetric_thread_fence_heavy();
      return true;
    } else {
      return interprocess_asymmetric_thread_fence_heavy();
    }
  }

  void leave() noexcept {
    if constexpr (Tuning.catch_misuse) inside_.fetch_sub(1, std::memory_order_relaxed);
  }

  futex::outcome sleep_on(std::uint32_t seen, bool certain, no_deadline) noexcept {
    if (certain) return futex::wait(word_, seen, Scope);
    return futex::wait_for(word_, seen, nap, Scope);
  }

  template <class Clock, class Duration>
  futex::outcome sleep_on(std::uint32_t seen, bool certain,
                          std::chrono::time_point<Clock, Duration> deadline) {
    if (!certain && futex::remaining(deadline) > nap) {
      return futex::wait_for(word_, seen, nap, Scope);
    }
    return futex::wait_until(word_, seen, deadline, Scope);
  }

  static bool is_past(no_deadline) noexcept { return false; }
  template <class Clock, class Duration>
  static bool is_past(std::chrono::time_point<Clock, Duration> deadline) {
    return futex::has_passed(deadline);
  }

  void call(bool everybody) noexcept {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    std::uint32_t next;
    do {
      if (!everybody && (seen & count_mask) == 0) return;
      next = (everybody ? seen & ~count_mask : seen - one) + one_call;
      // release: whoever sees this call, or reads "shut" from the word it leaves, sees what was
      // done before. Pairs with sleep() and is_shut(). Proofs: mpmc_close, call_publishes.
    } while (!word_.compare_exchange_weak(seen, next, std::memory_order_release,
                                          std::memory_order_relaxed));
    if constexpr (Tuning.spins != 0) last_waker{this}.is_here();
    futex::wake(word_, everybody ? INT_MAX : 1, Scope);
  }

  /// How long to sleep between two looks where no fence reaches the callers.
  static constexpr std::chrono::milliseconds nap{1};

  ordered_atomic<std::uint32_t> word_{0};
  std::atomic<std::uint32_t> inside_{0};
};

}  // namespace fencepost::detail
