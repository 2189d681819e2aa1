// SPDX-License-Identifier: MIT
//
// The deadlines of POSIX: a timespec on a clock that the caller names.
#pragma once

#include <time.h>

#include <cerrno>
#include <chrono>

namespace fencepost::preload {

inline bool is_valid(const timespec& moment) noexcept {
  return moment.tv_nsec >= 0 && moment.tv_nsec < 1'000'000'000;
}

inline bool is_known(clockid_t clock) noexcept {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

/// `moment` on Clock; what is beyond the clock's range is its end, what is before its epoch the
/// epoch.
template <class Clock>
std::chrono::time_point<Clock, std::chrono::nanoseconds> on(const timespec& moment) noexcept {
  using namespace std::chrono;
  using point = time_point<Clock, nanoseconds>;
  constexpr std::time_t beyond = 9'000'000'000;
  if (moment.tv_sec < 0) return point{};
  if (moment.tv_sec > beyond) return point::max();
  return point(seconds(moment.tv_sec) + nanoseconds(moment.tv_nsec));
}

/// Calls until(time_point) with the moment on the clock that `clock` names.
template <class Until>
auto at(clockid_t clock, const timespec& moment, Until until) {
  if (clock == CLOCK_MONOTONIC) return until(on<std::chrono::steady_clock>(moment));
  return until(on<std::chrono::system_clock>(moment));
}

}  // namespace fencepost::preload
