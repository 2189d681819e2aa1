// SPDX-License-Identifier: MIT
//
// The one place that speaks to the kernel's futex.
//
// A futex is a 32-bit word on which threads sleep while it holds a given value. wait() compares and
// goes to sleep as one step of the kernel: a wake that follows the change of the word finds either
// a sleeper or a thread that has not slept. Nothing else is promised:
//
// * wait() may return although nobody woke it. Callers look at the word again, always.
// * Neither call orders memory. What the sleeper must see travels through the word itself, written
//   with release and read with acquire.
// * The kernel never reads the word after wake() was called with it, but wake() passes its address:
//   a word that was unmapped or handed to somebody else gets a spurious wake-up and no more.
//
// Deadlines are absolute and on the steady clock, so that an interrupted wait neither starts over
// nor follows the wall clock. `shared` is for words in memory that several processes map.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>
#include <system_error>

namespace fencepost::futex {

using word = std::atomic<std::uint32_t>;
static_assert(sizeof(word) == 4 && word::is_always_lock_free);

enum class scope { process, shared };

enum class outcome {
  woken,    ///< by wake(), or for no reason at all
  changed,  ///< the word did not hold the expected value: the thread has not slept
  timed_out
};

namespace detail {

#if defined(SYS_futex)
inline constexpr long number = SYS_futex;
#else
inline constexpr long number = SYS_futex_time64;
#endif

inline int operation(int what, scope where) noexcept {
  return where == scope::process ? what | FUTEX_PRIVATE_FLAG : what;
}

[[noreturn, gnu::noinline, gnu::cold]] inline void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

inline outcome wait(const word& at, std::uint32_t expected, const timespec* deadline, scope where) {
  for (;;) {
    // WAIT_BITSET takes an absolute time on CLOCK_MONOTONIC where WAIT takes a duration.
    const long failed = ::syscall(number, &at, operation(FUTEX_WAIT_BITSET, where), expected,
                                  deadline, nullptr, FUTEX_BITSET_MATCH_ANY);
    if (failed == 0) return outcome::woken;
    if (errno == EAGAIN) return outcome::changed;
    if (errno == ETIMEDOUT) return outcome::timed_out;
    if (errno != EINTR) fail("futex wait");
  }
}

}  // namespace detail

/// Sleeps while `at` holds `expected`.
inline outcome wait(const word& at, std::uint32_t expected, scope where = scope::process) {
  return detail::wait(at, expected, nullptr, where);
}

/// Sleeps while `at` holds `expected`, until `deadline` at the latest.
inline outcome wait_until(const word& at, std::uint32_t expected,
                          std::chrono::steady_clock::time_point deadline,
                          scope where = scope::process) {
  using namespace std::chrono;
  const auto since = std::max(deadline.time_since_epoch(), steady_clock::duration::zero());
  const auto whole = floor<seconds>(since);
  timespec at_most{};
  at_most.tv_sec = static_cast<std::time_t>(whole.count());
  at_most.tv_nsec = static_cast<long>(nanoseconds(since - whole).count());
  return detail::wait(at, expected, &at_most, where);
}

inline outcome wait_for(const word& at, std::uint32_t expected,
                        std::chrono::steady_clock::duration at_most, scope where = scope::process) {
  return wait_until(at, expected, std::chrono::steady_clock::now() + at_most, where);
}

/// Wakes at most `count` threads that sleep on `at`; returns how many there were.
inline int wake(const word& at, int count, scope where = scope::process) {
  const long woken = ::syscall(detail::number, &at, detail::operation(FUTEX_WAKE, where), count,
                               nullptr, nullptr, 0);
  if (woken < 0) detail::fail("futex wake");
  return static_cast<int>(woken);
}

inline int wake_one(const word& at, scope where = scope::process) { return wake(at, 1, where); }

inline int wake_all(const word& at, scope where = scope::process) {
  return wake(at, INT_MAX, where);
}

}  // namespace fencepost::futex
