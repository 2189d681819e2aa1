// SPDX-License-Identifier: MIT
#include "fencepost/spin_mutex.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <type_traits>

#include "any_mutex.hpp"

namespace {

using fencepost::basic_spin_mutex;
using fencepost::spin_mutex;
using fencepost::spin_mutex_tuning;
using fencepost::unobserved;
using namespace std::chrono_literals;

constexpr spin_mutex_tuning careful{.catch_misuse = true};
constexpr spin_mutex_tuning careless{.catch_misuse = false};
constexpr spin_mutex_tuning yielding{.pauses_before_yield = 0};

using all =
    testing::Types<spin_mutex, basic_spin_mutex<unobserved, careful>,
                   basic_spin_mutex<unobserved, careless>, basic_spin_mutex<unobserved, yielding>>;
INSTANTIATE_TYPED_TEST_SUITE_P(spin_mutex, any_mutex, all);

TEST(spin_mutex, works_between_processes) { mapped_mutex<spin_mutex>().two_processes_count(); }

TEST(spin_mutex, needs_no_destruction_where_misuse_is_not_looked_for) {
  EXPECT_TRUE((std::is_trivially_destructible_v<basic_spin_mutex<unobserved, careless>>));
}

struct notebook : unobserved {
  static constexpr bool enabled = true;
  static inline std::atomic<int> contentions, acquisitions, surrenders, releases, goodbyes;
  static inline std::atomic<unsigned> spins;

  static void contending(const void*) noexcept { ++contentions; }
  static void acquired(const void*, unsigned looks, unsigned sleeps) noexcept {
    EXPECT_EQ(sleeps, 0U);
    ++acquisitions;
    spins += looks;
  }
  static void gave_up(const void*, unsigned, unsigned) noexcept { ++surrenders; }
  static void releasing(const void*) noexcept { ++releases; }
  static void woke(const void*, int) noexcept { ++goodbyes; }
};

TEST(spin_mutex, tells_its_observer_of_spinning) {
  basic_spin_mutex<notebook> mutex;
  mutex.lock();
  EXPECT_EQ(notebook::acquisitions, 1);
  EXPECT_EQ(notebook::spins, 0);
  std::thread waiter([&] {
    EXPECT_FALSE(mutex.try_lock());
    EXPECT_FALSE(mutex.try_lock_for(1ms));
    mutex.lock();
    mutex.unlock();
  });
  while (notebook::contentions != 2) std::this_thread::yield();
  mutex.unlock();
  waiter.join();
  EXPECT_EQ(notebook::surrenders, 2);
  EXPECT_EQ(notebook::acquisitions, 2);
  EXPECT_GE(notebook::spins, 1U);
  EXPECT_EQ(notebook::releases, 2);
  EXPECT_EQ(notebook::goodbyes, 2);
}

TEST(spin_mutex_death, unlock_of_a_mutex_that_is_not_locked_is_caught) {
  basic_spin_mutex<unobserved, careful> mutex;
  EXPECT_DEATH(mutex.unlock(),
               "fencepost::spin_mutex 0x[0-9a-f]+, thread [0-9]+: unlock of a mutex that is not "
               "locked");
}

TEST(spin_mutex_death, destruction_of_a_mutex_that_is_locked_is_caught) {
  const auto destroy_locked = [] {
    basic_spin_mutex<unobserved, careful> mutex;
    mutex.lock();
  };
  EXPECT_DEATH(destroy_locked(),
               "fencepost::spin_mutex 0x[0-9a-f]+, thread [0-9]+: destroyed while it is locked");
}

}  // namespace
