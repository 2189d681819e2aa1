// SPDX-License-Identifier: MIT
#include "fencepost/spin_mutex.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

using fencepost::basic_spin_mutex;
using fencepost::spin_mutex;
using fencepost::spin_mutex_tuning;
using fencepost::unobserved;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

constexpr spin_mutex_tuning careful{.catch_misuse = true};
constexpr spin_mutex_tuning careless{.catch_misuse = false};
constexpr spin_mutex_tuning yielding{.pauses_before_yield = 0};

template <class mutex>
class a_spin_mutex : public testing::Test {};

using all =
    testing::Types<spin_mutex, basic_spin_mutex<unobserved, careful>,
                   basic_spin_mutex<unobserved, careless>, basic_spin_mutex<unobserved, yielding>>;
TYPED_TEST_SUITE(a_spin_mutex, all);

TYPED_TEST(a_spin_mutex, is_held_by_one_thread_at_a_time) {
  TypeParam mutex;
  long counter = 0;
  constexpr long rounds = 20000;
  std::vector<std::thread> threads;
  for (int n = 0; n != 4; ++n) {
    threads.emplace_back([&] {
      for (long m = 0; m != rounds; ++m) {
        const std::lock_guard guard(mutex);
        ++counter;
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(counter, 4 * rounds);
}

TYPED_TEST(a_spin_mutex, can_be_tried) {
  TypeParam mutex;
  EXPECT_TRUE(mutex.try_lock());
  std::thread([&] { EXPECT_FALSE(mutex.try_lock()); }).join();
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TYPED_TEST(a_spin_mutex, gives_the_processor_away_when_the_holder_has_none) {
  TypeParam mutex;
  mutex.lock();
  std::atomic<int> waiting{0};
  std::vector<std::thread> threads;
  for (int n = 0; n != 4; ++n) {
    threads.emplace_back([&] {
      ++waiting;
      mutex.lock();
      mutex.unlock();
    });
  }
  while (waiting != 4) std::this_thread::yield();
  std::this_thread::sleep_for(5ms);
  mutex.unlock();
  for (std::thread& one : threads) one.join();
}

TYPED_TEST(a_spin_mutex, is_given_up_at_the_deadline_and_not_before) {
  TypeParam mutex;
  mutex.lock();
  std::thread([&] {
    const auto deadline = steady::now() + 5ms;
    EXPECT_FALSE(mutex.try_lock_until(deadline));
    EXPECT_GE(steady::now(), deadline);
    EXPECT_FALSE(mutex.try_lock_until(std::chrono::system_clock::now() + 1ms));
    EXPECT_FALSE(mutex.try_lock_for(0s));
    EXPECT_FALSE(mutex.try_lock_for(-1h));
  }).join();
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock_for(-1h));
  mutex.unlock();
}

TYPED_TEST(a_spin_mutex, is_had_before_the_deadline_by_who_waits_for_it) {
  TypeParam mutex;
  mutex.lock();
  std::atomic<bool> begun{false};
  std::thread waiter([&] {
    begun = true;
    EXPECT_TRUE(mutex.try_lock_for(24h));
    mutex.unlock();
  });
  while (!begun) std::this_thread::yield();
  mutex.unlock();
  waiter.join();
}

TYPED_TEST(a_spin_mutex, is_one_byte_and_zero_when_nobody_has_it) {
  static constinit TypeParam mutex;
  static_assert(sizeof mutex == 1);
  static_assert(!std::is_copy_constructible_v<TypeParam>);
  static_assert(noexcept(mutex.lock())&& noexcept(mutex.try_lock())&& noexcept(mutex.unlock()));
  EXPECT_EQ(*reinterpret_cast<const unsigned char*>(&mutex), 0);
}

TEST(spin_mutex, needs_no_destruction_where_misuse_is_not_looked_for) {
  EXPECT_TRUE((std::is_trivially_destructible_v<basic_spin_mutex<unobserved, careless>>));
}

TEST(spin_mutex, works_between_processes) {
  struct shared {
    spin_mutex mutex;
    long counter = 0;
  };
  void* const page =
      mmap(nullptr, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  auto& both = *new (page) shared;
  constexpr long rounds = 20000;
  const auto work = [&] {
    for (long n = 0; n != rounds; ++n) {
      const std::lock_guard guard(both.mutex);
      ++both.counter;
    }
  };
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    work();
    _exit(0);
  }
  work();
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(both.counter, 2 * rounds);
  munmap(page, sizeof(shared));
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
