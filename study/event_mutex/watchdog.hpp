// SPDX-License-Identifier: MIT
//
// Lost wake-ups on real threads, seen without a clock.
//
// The idea is the sync array's, that a waiter whose lock is free has lost its wake-up, made
// independent of time: when every thread sleeps on an event that still has the epoch it took, or
// rests and will wake nobody, and a second look finds each in the same sleep, then nobody is left
// who could wake them, however slow the machine. Whoever watches counts that and sets the event, so
// that the work goes on.
//
// What is seen of a thread comes from an observer of the mutex, as anybody may write one. It is
// told of nothing but sleeps, so that lock() and unlock() are the instructions that they are
// without it where nobody sleeps.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fencepost/futex.hpp"
#include "fencepost/observer.hpp"

namespace fencepost::study {

/// What a watchdog sees of a thread.
struct alignas(64) sleeper {
  std::atomic<const futex::word*> on{nullptr};
  std::atomic<std::uint32_t> epoch{0};
  std::atomic<std::uint64_t> sleeps{0};
};

/// In the place of the number of a sleep.
inline constexpr std::uint64_t none_asleep = UINT64_MAX;

/// The calling thread's; to be set before it uses a mutex with watched_sleep.
inline thread_local sleeper* self = nullptr;

struct watched_sleep : unobserved {
  static constexpr bool enabled = true;

  static void sleeping(const void*, const futex::word& on, std::uint32_t epoch) noexcept {
    self->sleeps.fetch_add(1);
    self->epoch.store(epoch);
    self->on.store(&on);
  }
  static void awake(const void*) noexcept { self->on.store(nullptr); }
};

/// The events, each by its word, on which all sleep for good: empty while somebody may still wake
/// them. `resting()` is the number of threads that do not sleep and will wake nobody before one
/// that sleeps now goes on.
template <class Resting>
std::vector<const futex::word*> stuck(const std::vector<sleeper>& sleepers, Resting resting) {
  // Where the first look found whom, and in which of its sleeps.
  std::vector<std::uint64_t> first(sleepers.size(), none_asleep);
  std::vector<const futex::word*> found;
  for (int look = 0; look != 2; ++look) {
    found.clear();
    for (std::size_t n = 0; n != sleepers.size(); ++n) {
      const sleeper& one = sleepers[n];
      const std::uint64_t sleep = one.sleeps.load();
      const futex::word* const on = one.on.load();
      const bool asleep = on != nullptr && on->load() == one.epoch.load();
      // All are as the first look left them: then they were so all the while, and there was a
      // moment between the two at which nobody ran.
      if (look == 1 && first[n] != (asleep ? sleep : none_asleep)) return {};
      first[n] = asleep ? sleep : none_asleep;
      if (asleep) found.push_back(on);
    }
    if (found.empty() || found.size() + resting() != sleepers.size()) return {};
  }
  return found;
}

/// What event::set() does to its word, for a thread that has no event in its hands.
inline void set(const futex::word& word) {
  const_cast<futex::word&>(word).fetch_or(1);
  futex::wake_all(word);
}

}  // namespace fencepost::study
