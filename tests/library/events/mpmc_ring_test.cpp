// SPDX-License-Identifier: MIT
//
// What rings for many producers and consumers do beyond what all rings do.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "fencepost/ring.hpp"

namespace {

constexpr fencepost::ring_tuning sleepy{.blocking = true, .spins = 0, .catch_misuse = false};

TEST(mpmc_ring, rounds_its_capacity_up_to_a_power_of_two) {
  fencepost::mpmc_ring<int> r(3);
  EXPECT_EQ(r.capacity(), 4U);
}

TEST(mpmc_ring, gives_every_element_to_one_consumer_and_keeps_each_producers_order) {
  static constexpr int producers = 3;
  static constexpr int consumers = 3;
  static constexpr int each = 20'000;
  fencepost::mpmc_ring<int, sleepy> r(4);
  std::atomic<int> left{producers};
  std::vector<std::thread> threads;
  for (int p = 0; p != producers; ++p) {
    threads.emplace_back([&r, &left, p] {
      for (int n = 0; n != each; ++n) ASSERT_TRUE(r.push(p * each + n));
      if (--left == 0) r.close();
    });
  }
  std::vector<std::vector<int>> taken(consumers);
  for (auto& mine : taken) {
    threads.emplace_back([&r, &mine] {
      while (const auto element = r.pop()) mine.push_back(*element);
    });
  }
  for (auto& thread : threads) thread.join();
  std::vector<bool> seen(producers * each);
  for (const auto& mine : taken) {
    int last[producers] = {-1, -1, -1};
    for (const int element : mine) {
      const auto producer = static_cast<std::size_t>(element / each);
      EXPECT_GT(element, last[producer]);
      last[producer] = element;
      EXPECT_FALSE(seen[static_cast<std::size_t>(element)]);
      seen[static_cast<std::size_t>(element)] = true;
    }
  }
  for (const bool there : seen) ASSERT_TRUE(there);
}

}  // namespace
