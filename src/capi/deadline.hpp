// SPDX-License-Identifier: MIT
//
// A C caller's time as the headers take it: a moment on the steady clock, which is CLOCK_MONOTONIC.
#pragma once

#include <time.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <limits>

namespace fencepost {

struct moment {
  int error = 0;          // EINVAL: no time at all
  bool for_ever = false;  // wait without a limit
  std::chrono::steady_clock::time_point at{};
};

inline moment moment_of(std::int64_t seconds, long nanoseconds) noexcept {
  using clock = std::chrono::steady_clock;
  static_assert(std::is_same_v<clock::duration, std::chrono::nanoseconds>);
  if (seconds < 0) return {0, false, {}};  // long past
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 1'000'000'000;
  if (seconds >= most) return {0, true, {}};  // 292 years
  return {0, false,
          clock::time_point{std::chrono::seconds{seconds} + std::chrono::nanoseconds{nanoseconds}}};
}

inline bool is_a_time(const timespec& time) noexcept {
  return time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000;
}

/// The moment that `deadline` names; null: never.
inline moment until(const timespec* deadline) noexcept {
  if (deadline == nullptr) return {0, true, {}};
  if (!is_a_time(*deadline)) return {EINVAL, false, {}};
  return moment_of(deadline->tv_sec, deadline->tv_nsec);
}

/// The moment that is `timeout` away from now; null: never.
inline moment after(const timespec* timeout) noexcept {
  if (timeout == nullptr) return {0, true, {}};
  if (!is_a_time(*timeout)) return {EINVAL, false, {}};
  if (timeout->tv_sec < 0) return {0, false, {}};
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const long nanoseconds = now.tv_nsec + timeout->tv_nsec;
  const long carry = nanoseconds >= 1'000'000'000 ? 1 : 0;
  // Half the range of seconds is for ever as well, and sums of halves stay in it.
  constexpr std::int64_t half = std::numeric_limits<std::int64_t>::max() / 2;
  if (timeout->tv_sec >= half) return {0, true, {}};
  return moment_of(now.tv_sec + timeout->tv_sec + carry, nanoseconds - carry * 1'000'000'000);
}

}  // namespace fencepost
