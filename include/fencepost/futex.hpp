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
// Deadlines are absolute, so that an interrupted wait does not start over. Those of the steady and
// the system clock are handed to the kernel, which follows the system clock when somebody sets it;
// any other clock is asked again whenever the time it named should have come.
//
// Nothing here allocates, throws, exits or changes errno. A kernel that refuses the call for a
// reason that has nothing to do with the word (a sandbox without futexes) turns waiting into
// sleeping for a millisecond at a time: slow, and still correct, for every caller looks again.
//
// Source: man 2 futex. `scope::shared` is for words in memory that several processes map.
#pragma once

#include "fencepost/language.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>
#include <type_traits>

#include "fencepost/detail/kernel.hpp"

namespace fencepost::futex {

using word = std::atomic<std::uint32_t>;
static_assert(sizeof(word) == 4 && word::is_always_lock_free);

enum class scope : unsigned char {
  process,  ///< every thread that uses the word is of one process: the cheaper kind
  shared    ///< the word lies in memory that several processes map
};

enum class outcome : unsigned char {
  woken,    ///< by wake(), or for no reason at all
  changed,  ///< the word did not hold the expected value: the thread has not slept
  timed_out,
  interrupted  ///< only where `signals::end_it` was asked for
};

/// What becomes of a wait when its thread has handled a signal.
enum class signals : unsigned char {
  unseen,  ///< it goes on
  end_it   ///< it ends, unless the kernel starts it again: SA_RESTART, and no deadline
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

[[gnu::noinline, gnu::cold]] inline outcome doze() noexcept {
  kernel::sleep(timespec{0, 1'000'000});
  return outcome::woken;
}

/// `what`: FUTEX_WAIT, which takes no time, or FUTEX_WAIT_BITSET, whose time is a moment of the
/// monotonic clock, or with FUTEX_CLOCK_REALTIME of the other one.
inline outcome wait(const word& at, std::uint32_t expected, int what, const timespec* time,
                    scope where, signals handled = signals::unseen) noexcept {
  for (;;) {
    const long result = kernel::call(number, &at, operation(what, where), expected, time, nullptr,
                                     FUTEX_BITSET_MATCH_ANY);
    switch (-result) {
      case EINTR:
        if (handled == signals::end_it) return outcome::interrupted;
        continue;
      case 0:
        return outcome::woken;
      case EAGAIN:
        return outcome::changed;
      case ETIMEDOUT:
        return outcome::timed_out;
      default:
        // Nothing else comes of a word that exists, but from a kernel or a sandbox without futexes.
        if (time != nullptr) {
          const timespec now =
              kernel::now((what & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC);
          if (now.tv_sec > time->tv_sec ||
              (now.tv_sec == time->tv_sec && now.tv_nsec >= time->tv_nsec)) {
            return outcome::timed_out;
          }
        }
        return doze();
    }
  }
}

/// From one moment to another, roughly, however far apart they are and whatever their units.
template <class Clock, class One, class Other>
double seconds_from(std::chrono::time_point<Clock, One> one,
                    std::chrono::time_point<Clock, Other> other) noexcept {
  using seconds = std::chrono::duration<double>;
  return seconds(other.time_since_epoch()).count() - seconds(one.time_since_epoch()).count();
}

/// ceil<nanoseconds>(since), for less than 290 years. The whole seconds apart: where a unit of
/// `since` is no simple part or multiple of a nanosecond, ceil() overflows within days or years.
template <class Rep, class Period>
std::chrono::nanoseconds in_nanoseconds(std::chrono::duration<Rep, Period> since) noexcept {
  using namespace std::chrono;
  const auto whole = floor<seconds>(since);
  return whole + ceil<nanoseconds>(since - whole);
}

/// Waits until `since` its clock's epoch; times that a timespec may not hold are "for ever" (more
/// than 250 years) or long past.
template <class Rep, class Period>
outcome wait_until(const word& at, std::uint32_t expected, std::chrono::duration<Rep, Period> since,
                   int flags, scope where, signals handled) noexcept {
  using namespace std::chrono;
  constexpr double for_ever = 8e9;
  const double about = duration<double>(since).count();
  if (about > for_ever) return wait(at, expected, FUTEX_WAIT_BITSET, nullptr, where, handled);
  timespec deadline{};
  if (about > 0) {
    const auto exact = in_nanoseconds(since);
    const auto whole = floor<seconds>(exact);
    deadline.tv_sec = static_cast<std::time_t>(whole.count());
    deadline.tv_nsec = static_cast<long>((exact - whole).count());
  }
  // WAIT_BITSET takes a moment where WAIT takes a duration.
  return wait(at, expected, FUTEX_WAIT_BITSET | flags, &deadline, where, handled);
}

}  // namespace detail

/// How long it is until `deadline`, on its own clock: zero where that has passed or is not a
/// number, the longest duration where it is longer than that. No deadline is too early or too late
/// to be subtracted from. Not to the microsecond: for a sleep after which the clock is asked again.
template <class Clock, class Duration>
std::chrono::nanoseconds remaining(std::chrono::time_point<Clock, Duration> deadline) {
  using namespace std::chrono;
  const double left = detail::seconds_from(Clock::now(), deadline);
  if (!(left > 0)) return nanoseconds::zero();
  if (left > duration<double>(nanoseconds::max()).count() - 1) return nanoseconds::max();
  return ceil<nanoseconds>(duration<double>(left));
}

/// Whether its clock has reached `deadline`, or that is not a number; exact.
template <class Clock, class Duration>
bool has_passed(std::chrono::time_point<Clock, Duration> deadline) {
  const auto now = Clock::now();
  const double left = detail::seconds_from(now, deadline);
  if (!(left > -1 && left < 1)) return !(left > 0);
  if constexpr (std::is_same_v<Duration, typename Clock::duration>) {
    return now >= deadline;
  } else {
    // Counted from a second that both are near, no moment is too late for the units of the other.
    const auto second = std::chrono::floor<std::chrono::seconds>(deadline.time_since_epoch());
    return now.time_since_epoch() - second >= deadline.time_since_epoch() - second;
  }
}

/// The moment `at_most` from now on the steady clock: the last moment that clock can name where the
/// sum is beyond it, now where `at_most` is negative or not a number.
template <class Rep, class Period>
std::chrono::steady_clock::time_point deadline_after(
    std::chrono::duration<Rep, Period> at_most) noexcept {
  using namespace std::chrono;
  using steady = steady_clock;
  const steady::time_point now = steady::now();
  if (!(at_most > at_most.zero())) return now;
  const double about = duration<double>(at_most).count();
  if (about > duration<double>(steady::time_point::max() - now).count() - 1) {
    return steady::time_point::max();
  }
  return now + detail::in_nanoseconds(at_most);
}

/// Sleeps while `at` holds `expected`. Interruptions by signals are not seen by the caller, unless
/// it asks for that.
inline outcome wait(const word& at, std::uint32_t expected, scope where = scope::process,
                    signals handled = signals::unseen) noexcept {
  return detail::wait(at, expected, FUTEX_WAIT, nullptr, where, handled);
}

/// Sleeps while `at` holds `expected`, for `milliseconds` at the most, not at all where they are
/// none or fewer. For headers that do without the C++ runtime, whose clock wait_for() asks.
inline outcome nap(const word& at, std::uint32_t expected, long milliseconds,
                   scope where = scope::process) noexcept {
  if (milliseconds < 0) milliseconds = 0;
  // A moment, not a duration, which would begin anew after each signal.
  timespec end = kernel::now(CLOCK_MONOTONIC);
  end.tv_sec += milliseconds / 1000;
  end.tv_nsec += milliseconds % 1000 * 1'000'000;
  if (end.tv_nsec >= 1'000'000'000) {
    end.tv_sec += 1;
    end.tv_nsec -= 1'000'000'000;
  }
  return detail::wait(at, expected, FUTEX_WAIT_BITSET, &end, where);
}

/// Sleeps while `at` holds `expected`, until `deadline` at the latest, on any clock. A deadline in
/// the past still says `changed` where the word has changed.
template <class Clock, class Duration>
outcome wait_until(const word& at, std::uint32_t expected,
                   std::chrono::time_point<Clock, Duration> deadline, scope where = scope::process,
                   signals handled = signals::unseen) {
  using namespace std::chrono;
  if constexpr (std::is_same_v<Clock, steady_clock>) {
    return detail::wait_until(at, expected, deadline.time_since_epoch(), 0, where, handled);
  } else if constexpr (std::is_same_v<Clock, system_clock>) {
    return detail::wait_until(at, expected, deadline.time_since_epoch(), FUTEX_CLOCK_REALTIME,
                              where, handled);
  } else {
    for (;;) {
      const auto end = deadline_after(remaining(deadline)).time_since_epoch();
      const outcome came = detail::wait_until(at, expected, end, 0, where, handled);
      if (came != outcome::timed_out || has_passed(deadline)) return came;
    }
  }
}

/// Sleeps while `at` holds `expected`, for `at_most` at the most, on the steady clock.
template <class Rep, class Period>
outcome wait_for(const word& at, std::uint32_t expected, std::chrono::duration<Rep, Period> at_most,
                 scope where = scope::process) noexcept {
  return wait_until(at, expected, deadline_after(at_most), where);
}

/// Wakes at most `count` threads that sleep on `at`; returns how many there were. None where
/// `count` is not above 0.
inline int wake(const word& at, int count, scope where = scope::process) noexcept {
  // The kernel would wake one.
  if (count <= 0) return 0;
  const long woken = kernel::call(detail::number, &at, detail::operation(FUTEX_WAKE, where), count,
                                  nullptr, nullptr, 0);
  return woken < 0 ? 0 : static_cast<int>(woken);
}

inline int wake_one(const word& at, scope where = scope::process) noexcept {
  return wake(at, 1, where);
}

inline int wake_all(const word& at, scope where = scope::process) noexcept {
  return wake(at, INT_MAX, where);
}

/// The half of a 64-bit word that holds its low-order bits, for threads to sleep on. The kernel
/// alone may look through it: a program's own accesses go to the whole word.
inline const word& low_half(const std::atomic<std::uint64_t>& whole) noexcept {
  static_assert(sizeof(whole) == 8);
  const auto* halves = reinterpret_cast<const word*>(&whole);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return halves[0];
#else
  return halves[1];
#endif
}

}  // namespace fencepost::futex
