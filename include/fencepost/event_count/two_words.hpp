// SPDX-License-Identifier: MIT
//
// Event counts with one producer, on any architecture: version and flag are words of their own.
//
//     increment                            wait
//       version = version + 1                raise the flag
//       light fence                          heavy fence
//       is the flag up?                      has the version changed?
//         lower it, wake everybody           sleep while the flag is up
//
// This is the store-buffering shape: the waiter must not miss the version while the producer misses
// the flag. The producer's fence is light, no instruction at all, because the waiter's is heavy and
// stands for both. So the increment is a store and a load on every processor, which no memory order
// makes of it: neither TSO nor anything weaker keeps the load behind the store.
//
// Paul Khuong's sketch of two words has the waiters sleep on the version, so the flag must be
// lowered before the version changes, and looked at twice. They sleep on the flag here, which is
// lowered afterwards, and is 32 bits wide however wide the version is. A flag that comes and goes
// may be up again, for others, by the time the kernel looks, so lowering it begins a new epoch,
// which the flag's word counts: a waiter sleeps while the flag is up in the epoch in which it found
// or raised it, and the increment that it waits for ends that epoch.
//
// Within a process that has no heavy fence both fences must be full. Producers do not ask which
// world they live in each time: a third bit of the flag's word, up at first, sends them to the
// careful branch until one has asked.
#pragma once

#include <atomic>
#include <cstdint>
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
    return has_heavy_barrier<Scope>() ? certainty::by_barrier
                                      : without_heavy_barrier<Scope>(certainty::by_order);
  }

  constexpr explicit two_words(Version initial) noexcept : version_{initial} {}

  [[nodiscard]] Version version() const noexcept {
    // acquire: pairs with add(). What preceded the increment that made this version is seen after
    // it. Proof: event_count.increment_publishes[two].
    return version_.load(std::memory_order_acquire);
  }

  [[nodiscard]] bool is_flagged() const noexcept {
    return (flag_.load(std::memory_order_relaxed) & up) != 0;
  }

  bool increment() noexcept { return add(1).flagged; }

  addition<Version> add(Version n) noexcept {
    // relaxed: this thread alone writes the version.
    const Version before = version_.load(std::memory_order_relaxed);
    // release: pairs with version(). Proof: event_count.increment_publishes[two].
    version_.store(before + n, std::memory_order_release);
    if constexpr (within_process) {
      // seq_cst: a light fence, for whoever is not careful: the look at the flag must not precede
      // the store. Pairs with heavy_barrier(). Proof: event_count.no_lost_wakeup[two].
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      // As above. Proof: event_count.no_lost_wakeup[two_interprocess].
      interprocess_asymmetric_thread_fence_light();
    }
    if ((flag_.load(std::memory_order_relaxed) & (up | careful)) == 0) [[likely]]
      return {before, false};
    return {before, look_carefully()};
  }

  void lower() noexcept {
    // relaxed: the producer alone changes the epoch, and raising a flag that is up changes nothing.
    // The wake-up follows; see flagged_word::lower().
    const std::uint32_t seen = flag_.load(std::memory_order_relaxed);
    flag_.store((seen | up | careful) + 1 + (seen & careful), std::memory_order_relaxed);
  }

  bool raise(Version old, std::uint32_t& asleep) noexcept {
    if (version_.load(std::memory_order_relaxed) != old) return false;
    // relaxed: make_sure() orders it before the look at the version.
    asleep = flag_.fetch_or(up, std::memory_order_relaxed) | up;
    return true;
  }

  /// Whether an increment that is not seen by now will see the flag.
  bool make_sure(Version /*old*/) const noexcept {
    if constexpr (!Tuning.heavy_barrier) return false;
    if (heavy_barrier<Scope>()) return true;
    // No barrier, but a full fence: it will if the producer is careful. It is not where there was a
    // barrier, and was taken away by a sandbox.
    return within_process && (flag_.load(std::memory_order_relaxed) & careful) != 0;
  }

  [[nodiscard]] const futex::word& bed() const noexcept { return flag_; }

 private:
  static constexpr bool within_process = Scope == futex::scope::process;

  // The bits of flag_; those above count the epochs.
  static constexpr std::uint32_t up = 1;
  static constexpr std::uint32_t careful = 2;

  [[gnu::noinline, gnu::cold]] bool look_carefully() noexcept {
    if constexpr (within_process) {
      if ((flag_.load(std::memory_order_relaxed) & careful) != 0) {
        // seq_cst: as the light fence in add(), where the heavy one is this same fence.
        // Proof: event_count.without_membarrier[two].
        std::atomic_thread_fence(std::memory_order_seq_cst);
        if (has_heavy_barrier<Scope>()) flag_.fetch_and(~careful, std::memory_order_relaxed);
      }
    }
    return is_flagged();
  }

  // Written by the producer alone.
  std::atomic<Version> version_;
  // Legal for `up` to be set with nobody asleep; illegal to clear it but by a new epoch, and
  // without waking everybody afterwards. Illegal to set `careful` again.
  futex::word flag_{within_process ? careful : 0};
};

}  // namespace fencepost::event_count_kind
