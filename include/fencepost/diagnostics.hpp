// SPDX-License-Identifier: MIT
//
// Who waits for what, since when, and who holds it.
//
//     fencepost::basic_mutex<fencepost::diagnostics::recorded> orders;
//     fencepost::diagnostics::name(&orders, "orders");
//     fencepost::diagnostics::watchdog watching;     // warns on standard error from now on
//     …
//     fencepost::diagnostics::write(stderr);         // counts per lock, and every wait there is
//
// A lock whose Observer is `recorded` tells this header what happens to it; others tell nothing and
// cost nothing. Counted are acquisitions, contention, spins, sleeps, wake-ups and hand-overs. Known
// at any moment are the holder of each lock and the threads that wait for it.
//
// Three things are found in that, and none of them by the clock:
//
// * deadlocks(): cycles of threads of which each sleeps for a lock that the next one holds. It is
//   looked at twice, and counts only if no thread of the cycle has moved in between: then all of
//   them slept at one moment, and a thread that sleeps releases nothing.
// * lost_wakeups(): threads that sleep for a lock that nobody holds, nobody is about to take or
//   release, and whose sleepers are every one asleep inside the kernel, on a word that has not
//   changed. With a sound lock there is no such moment, so that whatever is found is a bug.
// * the watchdog reports both, and waits that go on for longer than a limit, once each.
//
// Deadlocks among locks of which some are not recorded are not found; nor is the lack of a wake-up
// from anything but a lock. A timed wait that takes part in a cycle is reported as any other.
//
// Limits: about 4,000 locks and 1,024 threads at a time; what is beyond is counted as not recorded.
// Memory is static, 700 KB of it, touched as it is needed; only the functions that return vectors
// allocate. A lock costs two clock readings and a few uncontended atomic operations more than it
// did. After fork() the child starts with its own thread alone.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "fencepost/diagnostics/registry.hpp"
#include "fencepost/observer.hpp"

namespace fencepost::diagnostics {

using std::chrono::nanoseconds;

/// The Observer of a lock that is to be recorded. Its functions are for locks to call.
struct recorded : unobserved {
  static constexpr bool enabled = true;
  static void contending(const void* lock) noexcept;
  static void acquired(const void* lock, unsigned spins, unsigned sleeps) noexcept;
  static void gave_up(const void* lock, unsigned spins, unsigned sleeps) noexcept;
  static void releasing(const void* lock) noexcept;
  static void sleeping(const void* lock, const futex::word& on, std::uint32_t value) noexcept;
  static void awake(const void* lock) noexcept;
  static void woke(const void* lock, int threads) noexcept;
  static void handed_over(const void* lock) noexcept;
};

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

/// Looks at every recorded lock from time to time, for as long as it lives, in a thread of its own.
class watchdog {
 public:
  struct limits {
    nanoseconds interval = std::chrono::seconds(1);      ///< between two looks
    nanoseconds longest_wait = std::chrono::seconds(5);  ///< waits that are worth a warning
  };
  /// Gets each finding as a sentence, without a newline, in the watchdog's thread.
  using reporter = std::function<void(const std::string&)>;

  /// Reports to standard error.
  watchdog();
  explicit watchdog(limits limit, reporter report = to_standard_error);
  ~watchdog();
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

  /// Looks now, in the calling thread.
  void look();

  static void to_standard_error(const std::string& finding);

 private:
  enum class kind { deadlock, lost_wakeup, long_wait };
  using finding = std::tuple<kind, pid_t, std::uint64_t>;  // a wait, by thread and number

  void run();

  const limits limit_;
  const reporter report_;
  std::mutex looking_;
  std::set<finding> reported_;
  std::mutex guard_;
  std::condition_variable ending_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace fencepost::diagnostics

#include "fencepost/diagnostics/findings.hpp"
#include "fencepost/diagnostics/recorded.hpp"
#include "fencepost/diagnostics/watchdog.hpp"
