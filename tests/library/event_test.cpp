// SPDX-License-Identifier: MIT
#include "fencepost/event.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

using fencepost::event;

TEST(event, a_wait_whose_epoch_is_over_returns_at_once) {
  event one;
  const auto epoch = one.reset();
  EXPECT_TRUE(one.would_wait(epoch));
  one.set();
  EXPECT_FALSE(one.would_wait(epoch));
  one.wait(epoch);
}

TEST(event, a_set_is_not_undone_for_those_who_came_before_it) {
  event one;
  const auto before = one.reset();
  one.set();
  const auto after = one.reset();
  one.wait(before);
  EXPECT_TRUE(one.would_wait(after));
}

TEST(event, setting_what_is_set_changes_nothing) {
  event one;
  one.set();
  one.set();
  const auto epoch = one.reset();
  EXPECT_EQ(one.reset(), epoch);
  EXPECT_TRUE(one.would_wait(epoch));
}

TEST(event, everybody_is_woken) {
  event one;
  std::atomic<int> ready{0};
  std::vector<std::thread> sleepers;
  for (int n = 0; n != 4; ++n) {
    sleepers.emplace_back([&] {
      const auto epoch = one.reset();
      ++ready;
      one.wait(epoch);
    });
  }
  while (ready.load() != 4) std::this_thread::yield();
  one.set();
  for (std::thread& sleeper : sleepers) sleeper.join();
}

}  // namespace
