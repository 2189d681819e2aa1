// SPDX-License-Identifier: MIT
// How often the daemon lets itself be called, by a clock that the test winds.
#include "daemon/vain_calls.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace {

using barrierd::vain_calls;

constexpr std::uint64_t second = 1'000'000'000;

/// Calls it whenever it listens, at most every 60 microseconds, for so long; how often that was.
std::uint64_t calls_within(vain_calls& its, std::uint64_t begin, std::uint64_t length,
                           unsigned one_in_so_many_wakes) {
  std::uint64_t calls = 0;
  std::uint64_t unheard_until = 0;
  for (std::uint64_t now = begin; now < begin + length; now += 60'000) {
    if (now < unheard_until) continue;
    ++calls;
    const bool wakes = one_in_so_many_wakes != 0 && calls % one_in_so_many_wakes == 0;
    unheard_until = its.count(now, wakes);
    EXPECT_TRUE(unheard_until == 0 || unheard_until > now);
    EXPECT_LE(unheard_until, now + vain_calls::one_each);
  }
  return calls;
}

TEST(vain_calls, are_allowed_many_at_once_and_a_hundred_a_second) {
  vain_calls its;
  const std::uint64_t calls = calls_within(its, 5 * second, 10 * second, 0);
  EXPECT_LE(calls, vain_calls::most + 1001);
  EXPECT_GE(calls, vain_calls::most + 990);
  // After a pause as many at once again, and not more, however long it was.
  EXPECT_LE(calls_within(its, 60 * second, second, 0), vain_calls::most + 101);
  EXPECT_LE(calls_within(its, std::uint64_t{1} << 62, second, 0), vain_calls::most + 101);
}

TEST(vain_calls, are_paid_for_by_those_that_wake_somebody) {
  vain_calls its;
  constexpr std::uint64_t all = (20 * second - 1) / 60'000 + 1;
  EXPECT_EQ(calls_within(its, second, 20 * second, 1), all);
  EXPECT_EQ(calls_within(its, 30 * second, 20 * second, vain_calls::earned), all);
  // Who wakes somebody too rarely is not heard all the time, and more than who never does.
  vain_calls other;
  const std::uint64_t some = calls_within(other, second, 20 * second, 2000);
  EXPECT_LT(some, all / 10);
  EXPECT_GT(some, 2000U);
}

TEST(vain_calls, at_the_first_moment_of_all_are_counted_as_well) {
  vain_calls its;
  for (std::uint64_t n = 1; n != vain_calls::most; ++n) EXPECT_EQ(its.count(0, false), 0U);
  EXPECT_EQ(its.count(0, false), vain_calls::one_each);
  EXPECT_EQ(its.count(0, true), 0U);
}

}  // namespace
