// SPDX-License-Identifier: MIT
// What is made of deadlines and durations of any clock and any unit, beside the same in wider
// numbers.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ratio>

#include "choices.hpp"
#include "fencepost/futex.hpp"

namespace {

namespace chrono = std::chrono;
using fuzz::choices;
using fuzz::expect;

template <class Rep, class Period>
struct set_clock {
  using rep = Rep;
  using period = Period;
  using duration = chrono::duration<Rep, Period>;
  using time_point = chrono::time_point<set_clock>;
  [[maybe_unused]] static constexpr bool is_steady = false;
  static inline time_point present;
  static time_point now() { return present; }
};

template <class Duration>
Duration any(choices& input) {
  if constexpr (std::is_floating_point_v<typename Duration::rep>) {
    return Duration(input.raw<typename Duration::rep>());
  } else {
    return Duration(input.extreme<typename Duration::rep>());
  }
}

template <class Duration>
long double seconds(Duration time) {
  using wide = chrono::duration<long double>;
  return wide(time).count();
}

/// About: what has been told in doubles may be off by so much where the numbers are large.
bool is_about(long double one, long double other, long double scale) {
  return std::fabs(one - other) <= 1e-9L + scale * 1e-14L;
}

template <class Clock, class Duration>
void deadline(choices& input) {
  Clock::present = typename Clock::time_point(any<typename Clock::duration>(input));
  const chrono::time_point<Clock, Duration> end(any<Duration>(input));
  const long double now = seconds(Clock::present.time_since_epoch());
  const long double then = seconds(end.time_since_epoch());
  if (std::isnan(now)) return;  // a clock must have some time
  const chrono::nanoseconds left = fencepost::futex::remaining(end);
  const bool has_passed = fencepost::futex::has_passed(end);
  expect(left >= left.zero());
  const long double scale = std::fabs(now) + std::fabs(then);
  const long double difference = then - now;
  if (std::isnan(then) || (std::isinf(now) && std::isinf(then) && now == then)) {
    expect(left == left.zero() && has_passed);
    return;
  }
  const long double most = seconds(chrono::nanoseconds::max());
  if (difference >= most + scale * 1e-14L) expect(left == left.max());
  if (difference <= -1e-9L - scale * 1e-14L) expect(left == left.zero());
  if (difference > 0 && difference < most - 2 - scale * 1e-14L) {
    expect(is_about(seconds(left), difference, scale));
  }
  if (difference < -1e-9L - scale * 1e-14L) expect(has_passed);
  if (difference > 1e-9L + scale * 1e-14L) expect(!has_passed);
}

template <class Duration>
void duration(choices& input) {
  const auto at_most = any<Duration>(input);
  const auto before = chrono::steady_clock::now();
  const auto end = fencepost::futex::deadline_after(at_most);
  const auto after = chrono::steady_clock::now();
  const long double about = seconds(at_most);
  // What the type itself may be off by.
  using rep = typename Duration::rep;
  const long double unsure = std::max<long double>(
      1e-14L, 4 * static_cast<long double>(std::numeric_limits<rep>::epsilon()));
  if (!(about > 0)) {
    expect(end >= before && end <= after);
  } else if (about > 1e10L) {
    expect(end == chrono::steady_clock::time_point::max());
  } else if (about < 9e9L) {
    expect(seconds(end - before) >= about * (1 - unsure) - 1e-9L);
    expect(seconds(end - after) <= about * (1 + unsure) + 1e-9L);
  }
  expect(end >= before);
}

using fine = set_clock<std::int64_t, std::pico>;
using usual = set_clock<std::int64_t, std::nano>;
using coarse = set_clock<std::int64_t, std::ratio<3600>>;
using narrow = set_clock<std::int32_t, std::ratio<1>>;
using real = set_clock<double, std::ratio<1>>;
using odd = set_clock<std::int64_t, std::ratio<1, 3>>;
using years = chrono::duration<std::int64_t, std::ratio<31556952>>;
using whole = chrono::duration<std::int64_t>;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  choices input(data, size);
  while (input.more()) {
    switch (input.below(16)) {
      case 0:
        deadline<fine, fine::duration>(input);
        break;
      case 1:
        deadline<fine, chrono::hours>(input);
        break;
      case 2:
        deadline<usual, usual::duration>(input);
        break;
      case 3:
        deadline<usual, years>(input);
        break;
      case 4:
        deadline<usual, chrono::duration<double>>(input);
        break;
      case 5:
        deadline<coarse, usual::duration>(input);
        break;
      case 6:
        deadline<narrow, narrow::duration>(input);
        break;
      case 7:
        deadline<real, real::duration>(input);
        break;
      case 8:
        deadline<real, whole>(input);
        break;
      case 9:
        deadline<odd, usual::duration>(input);
        break;
      case 10:
        duration<chrono::nanoseconds>(input);
        break;
      case 11:
        duration<chrono::duration<double>>(input);
        break;
      case 12:
        duration<years>(input);
        break;
      case 13:
        duration<chrono::duration<std::int64_t, std::pico>>(input);
        break;
      case 14:
        duration<chrono::duration<float, std::milli>>(input);
        break;
      default:
        duration<chrono::duration<std::int8_t, std::ratio<3600>>>(input);
    }
  }
  return 0;
}
