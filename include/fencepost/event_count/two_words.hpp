// SPDX-License-Identifier: MIT
//
// Event counts with one producer, on any architecture: version and flag are words of their own.
//
//     increment                            wait
//       version = version + 1                flag = 1
//       light fence                          heavy fence
//       is the flag up?                      sleep while the flag is up, unless
//         flag = 0, wake everybody             the version has changed
//
// Both are plain stores, and this is the store-buffering shape: the waiter must not miss the
// version while the producer misses the flag. The producer's fence is light, no instruction at all,
// because the waiter's is heavy and stands for both. So the increment is a store and a load on
// every processor, which no memory order makes of it: neither TSO nor anything weaker keeps the
// load behind the store.
//
// Paul Khuong's sketch of two words has the waiters sleep on the version, so the flag must be
// lowered before the version changes, and looked at twice. They sleep on the flag here, which is
// lowered afterwards, once it has been seen up: who raised it before that has slept by the time of
// the wake-up or finds it down and looks again; who raises it after that leaves it up for the next
// increment. The kernel's 32 bits are all of the flag, and the version may be as wide as it likes.
#pragma once

#include <atomic>
#include <limits>

#include "fencepost/event_count/flagged_word.hpp"
#include "fencepost/event_count/heavy_barrier.hpp"
#include "fencepost/event_count/tuning.hpp"

namespace fencepost::event_count_kind {

template <class Version, futex::scope Scope, event_count_tuning Tuning>
class two_words {
 public:
  static constexpr Version last_version = std::numeric_limits<Version>::max();

  static certainty sleeps() noexcept {
    if constexpr (!Tuning.heavy_barrier) return certainty::by_time;
    if (has_heavy_barrier<Scope>()) return certainty::by_barrier;
    return Scope == futex::scope::process ? certainty::by_order : certainty::by_time;
  }

  constexpr explicit two_words(Version initial) noexcept : version_{initial} {}

  [[nodiscard]] Version version() const noexcept {
    // acquire: pairs with add(). What preceded the increment that made this version is seen after
    // it.
    // Proof: event_count.increment_publishes[two].
    return version_.load(std::memory_order_acquire);
  }

  [[nodiscard]] bool is_flagged() const noexcept {
    return flag_.load(std::memory_order_relaxed) != 0;
  }

  bool increment() noexcept { return add(1).flagged; }

  addition<Version> add(Version n) noexcept {
    // relaxed: this thread alone writes the version.
    const Version before = version_.load(std::memory_order_relaxed);
    // release: pairs with version(). Proof: event_count.increment_publishes[two].
    version_.store(before + n, std::memory_order_release);
    if constexpr (Scope == futex::scope::process) {
      // The look at the flag must not precede the store. Pairs with heavy_barrier().
      // Proof: event_count.no_lost_wakeup[two].
      asymmetric_thread_fence_light();
    } else {
      // As above. Proof: event_count.no_lost_wakeup[two_interprocess].
      interprocess_asymmetric_thread_fence_light();
    }
    return {before, is_flagged()};
  }

  void lower() noexcept {
    // relaxed: the wake-up follows; see flagged_word::lower().
    flag_.store(0, std::memory_order_relaxed);
  }

  bool raise(Version old) noexcept {
    if (version_.load(std::memory_order_relaxed) != old) return false;
    // relaxed: make_sure() orders it before the look at the version.
    flag_.store(1, std::memory_order_relaxed);
    return true;
  }

  /// Whether an increment that is not seen by now will see the flag.
  static bool make_sure(Version /*old*/) noexcept {
    if constexpr (!Tuning.heavy_barrier) return false;
    const bool everywhere = heavy_barrier<Scope>();
    // Within a process that has no barrier both sides have executed a full fence.
    return everywhere || Scope == futex::scope::process;
  }

  [[nodiscard]] const futex::word& bed() const noexcept { return flag_; }
  [[nodiscard]] static std::uint32_t asleep(Version /*old*/) noexcept { return 1; }

 private:
  // Written by the producer alone.
  std::atomic<Version> version_;
  // Raised by waiters, lowered by the producer. Legal to be up with nobody asleep; illegal to lower
  // it without waking everybody afterwards.
  futex::word flag_{0};
};

}  // namespace fencepost::event_count_kind
