// SPDX-License-Identifier: MIT
//
// What can be asked of the diagnostics: counts per lock, waits, and what follows from them. See
// diagnostics.hpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "fencepost/diagnostics/registry.hpp"

namespace fencepost::diagnostics {

using std::chrono::nanoseconds;

/// What was counted for one lock since it was first used, or since forget().
struct lock_report {
  const void* lock = nullptr;
  const char* name = "";
  pid_t holder = 0;     ///< its thread, as gettid() has it; 0: nobody
  nanoseconds held{0};  ///< for how long by now
  std::uint64_t acquisitions = 0;
  std::uint64_t contended = 0;  ///< acquisitions that did not find the lock free
  std::uint64_t gave_up = 0;    ///< failed tries, and waits whose time was over
  std::uint64_t spins = 0;
  std::uint64_t sleeps = 0;
  std::uint64_t wakeups = 0;  ///< threads that an unlock has woken
  std::uint64_t hand_overs = 0;
  nanoseconds waited{0};  ///< by all threads, spinning or asleep
  nanoseconds longest_wait{0};
};

/// A thread that waits, spinning or asleep.
struct wait_report {
  pid_t thread = 0;
  bool asleep = false;
  const void* lock = nullptr;
  const char* name = "";
  pid_t holder = 0;        ///< who holds the lock; 0: nobody
  nanoseconds waiting{0};  ///< for how long by now
  nanoseconds held{0};     ///< for how long the holder has had it
};

/// Gives a lock a name for reports. The text is not copied: a literal is best.
inline void name(const void* lock, const char* text) noexcept {
  if (detail::lock_entry* const entry = detail::entry_of(lock)) {
    entry->name.store(text, std::memory_order_relaxed);
  }
}

/// Drops what was counted for a lock, and its name: for a lock whose memory is used again.
inline void forget(const void* lock) noexcept { detail::forget(lock); }

/// Locks and threads that found no place in the tables.
inline std::uint64_t not_recorded() noexcept {
  return detail::not_recorded.load(std::memory_order_relaxed);
}

/// Every recorded lock with its counts; the most waited for first.
inline std::vector<lock_report> locks() {
  std::vector<lock_report> all;
  detail::for_each_lock([&](const detail::lock_entry& entry) {
    constexpr auto relaxed = std::memory_order_relaxed;
    lock_report r;
    r.lock = entry.lock.load(relaxed);
    r.name = detail::name_of(entry);
    r.holder = entry.holder.load(relaxed);
    if (r.holder != 0) r.held = detail::since(entry.held_since.load(relaxed));
    r.acquisitions = entry.acquisitions.load(relaxed);
    r.contended = entry.contended.load(relaxed);
    r.gave_up = entry.gave_up.load(relaxed);
    r.spins = entry.spins.load(relaxed);
    r.sleeps = entry.sleeps.load(relaxed);
    r.wakeups = entry.wakeups.load(relaxed);
    r.hand_overs = entry.hand_overs.load(relaxed);
    r.waited = nanoseconds(entry.waited.load(relaxed));
    r.longest_wait = nanoseconds(entry.longest_wait.load(relaxed));
    all.push_back(r);
  });
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.waited > b.waited; });
  return all;
}

/// Every wait there is at the moment, the longest first. Holders are those of the moment, too:
/// while threads run, a report is of what was a few instructions ago.
std::vector<wait_report> waits();

/// Cycles of sleeping threads, each once: every wait's lock is held by the thread of the next wait,
/// and the last one's by that of the first.
std::vector<std::vector<wait_report>> deadlocks();

/// Sleepers whose wake-up was lost: see the top of the file. Where the kernel does not say what a
/// thread does (no /proc), nothing is found.
std::vector<wait_report> lost_wakeups();

/// Writes counts, waits, deadlocks and lost wake-ups as text.
void write(std::FILE* to);

/// One finding as a sentence.
std::string to_string(const wait_report& wait);
std::string to_string(const std::vector<wait_report>& cycle);

}  // namespace fencepost::diagnostics
