// SPDX-License-Identifier: MIT
//
// Event mutexes whose protocol loses wake-ups, with a watchdog for programs that shall end.
//
// There is no thread that watches, for which a library below malloc() would have to find memory and
// a moment, also in each child of a fork(): who sleeps watches over itself. It sleeps for a few
// milliseconds at a time, and if nobody has set the event by then and the lock is free, looks once
// more when `patience` is over. If all is still so, whoever freed the lock has not seen that
// somebody slept, or has been kept from its processor all the while: that is counted as a wake-up
// lost, and the thread goes on. It is told when the process exits: unsound.cpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "fencepost/event_mutex.hpp"
#include "fencepost/futex.hpp"
#include "fencepost/observer.hpp"

namespace fencepost::preload {

/// How long a free lock may leave a sleeper asleep, in milliseconds.
inline constexpr long patience = 100;

/// The wake-ups that this process has lost.
inline constinit std::atomic<std::uint64_t> lost_wakeups{0};

/// The protocol, which does not answer for anybody's waking up.
template <class Protocol>
struct distrusted : Protocol {
  static constexpr bool may_sleep_long() noexcept { return false; }
};

template <class Protocol>
struct watched_sleep : unobserved {
  static constexpr bool enabled = true;

  static void sleeping(const void* /*mutex*/, const futex::word& on, std::uint32_t epoch) noexcept {
    own = {&on, epoch};
  }

  static void awake(const void* mutex) noexcept {
    // The protocol is the first thing in its mutex.
    const auto& protocol = *static_cast<const Protocol*>(mutex);
    const auto is_forgotten = [&protocol] {
      return own.on->load(std::memory_order_relaxed) == own.epoch && !protocol.is_locked();
    };
    if (!is_forgotten()) return;
    futex::nap(*own.on, own.epoch, patience);
    if (is_forgotten()) lost_wakeups.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  struct sleep {
    const futex::word* on;
    std::uint32_t epoch;
  };
  static inline constinit thread_local sleep own{nullptr, 0};
};

template <class Protocol>
using unsound_event_mutex =
    event_mutex<distrusted<Protocol>, event_mutex_tuning{.catch_misuse = false},
                watched_sleep<Protocol>>;

}  // namespace fencepost::preload
