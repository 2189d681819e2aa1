// SPDX-License-Identifier: MIT
#include "fencepost/mutex.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <type_traits>
#include <vector>

#include "fencepost/futex_mutex.hpp"

namespace {

using namespace std::chrono_literals;
using fencepost::mutex_tuning;
using fencepost::unobserved;
namespace futex = fencepost::futex;

constexpr mutex_tuning sleepy{
    .pausing_rounds = 0, .yielding_rounds = 0, .overtakes = 1, .patience = 1, .catch_misuse = true};
constexpr mutex_tuning unwatched{.catch_misuse = false};

template <class mutex>
class a_mutex : public testing::Test {};

using all =
    testing::Types<fencepost::mutex, fencepost::interprocess_mutex, fencepost::futex_mutex,
                   fencepost::interprocess_futex_mutex,
                   fencepost::basic_mutex<unobserved, futex::scope::process, sleepy>,
                   fencepost::basic_mutex<unobserved, futex::scope::shared, sleepy>,
                   fencepost::basic_futex_mutex<unobserved, futex::scope::process, sleepy>,
                   fencepost::basic_futex_mutex<unobserved, futex::scope::shared, sleepy>,
                   fencepost::basic_mutex<unobserved, futex::scope::process, unwatched>,
                   fencepost::basic_futex_mutex<unobserved, futex::scope::process, unwatched>>;
TYPED_TEST_SUITE(a_mutex, all);

TYPED_TEST(a_mutex, has_four_bytes_and_a_constant_initialiser) {
  static constinit TypeParam mutex;
  EXPECT_EQ(sizeof mutex, 4U);
  const std::lock_guard in(mutex);
}

TYPED_TEST(a_mutex, is_held_by_one_thread_at_a_time) {
  TypeParam mutex;
  long counter = 0;
  constexpr long rounds = 20000;
  std::vector<std::thread> threads;
  for (int n = 0; n != 8; ++n) {
    threads.emplace_back([&] {
      for (long m = 0; m != rounds; ++m) {
        const std::lock_guard in(mutex);
        ++counter;
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(counter, 8 * rounds);
}

TYPED_TEST(a_mutex, can_be_tried) {
  TypeParam mutex;
  EXPECT_TRUE(mutex.try_lock());
  std::thread([&] { EXPECT_FALSE(mutex.try_lock()); }).join();
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TYPED_TEST(a_mutex, is_not_waited_for_beyond_the_deadline) {
  TypeParam mutex;
  mutex.lock();
  std::thread([&] {
    EXPECT_FALSE(mutex.try_lock_for(-1s));
    EXPECT_FALSE(mutex.try_lock_for(0s));
    EXPECT_FALSE(mutex.try_lock_until(std::chrono::system_clock::now() - 1h));
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(mutex.try_lock_for(120ms));
    EXPECT_FALSE(mutex.try_lock_until(start + 130ms));
    EXPECT_FALSE(mutex.try_lock_until(std::chrono::system_clock::now() + 1ms));
    EXPECT_GE(std::chrono::steady_clock::now() - start, 130ms);
  }).join();
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock_for(0s));
  mutex.unlock();
}

TYPED_TEST(a_mutex, is_had_in_time_by_who_waits_long_enough) {
  TypeParam mutex;
  mutex.lock();
  std::vector<std::thread> patient;
  for (int n = 0; n != 4; ++n) {
    patient.emplace_back([&, n] {
      const bool locked = n % 2 != 0
                              ? mutex.try_lock_for(1h)
                              : mutex.try_lock_until(std::chrono::system_clock::time_point::max());
      EXPECT_TRUE(locked);
      if (locked) mutex.unlock();
    });
  }
  std::this_thread::sleep_for(5ms);
  mutex.unlock();
  for (std::thread& one : patient) one.join();
}

TYPED_TEST(a_mutex, is_left_usable_by_those_who_give_up_while_it_changes_hands) {
  TypeParam mutex;
  std::atomic<long> inside{0};
  std::vector<std::thread> threads;
  for (int n = 0; n != 6; ++n) {
    threads.emplace_back([&, n] {
      for (int m = 0; m != 300; ++m) {
        const bool locked = n % 2 != 0 ? mutex.try_lock_for(std::chrono::microseconds(m % 70))
                                       : (mutex.lock(), true);
        if (!locked) continue;
        EXPECT_EQ(inside.fetch_add(1), 0);
        if (m % 8 == 0) std::this_thread::sleep_for(20us);
        inside.fetch_sub(1);
        mutex.unlock();
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TYPED_TEST(a_mutex, may_be_destroyed_by_who_unlocks_it_last) {
  struct shared_object {
    TypeParam mutex;
    int owners = 3;
  };
  for (int n = 0; n != 2000; ++n) {
    auto* object = new shared_object;
    const auto leave = [object] {
      object->mutex.lock();
      const bool last = --object->owners == 0;
      object->mutex.unlock();
      if (last) delete object;
    };
    std::thread one(leave);
    std::thread two(leave);
    leave();
    one.join();
    two.join();
  }
}

TYPED_TEST(a_mutex, is_not_kept_from_a_sleeper_by_a_thread_that_is_always_quicker) {
  TypeParam mutex;
  std::atomic<bool> waits{false};
  std::atomic<bool> had_it{false};
  std::thread sleeper([&] {
    waits = true;
    mutex.lock();
    had_it = true;
    mutex.unlock();
  });
  while (!waits) std::this_thread::yield();
  // Locked nearly all of the time: longer than it takes to wake somebody.
  while (!had_it) {
    const std::lock_guard in(mutex);
    std::this_thread::sleep_for(200us);
  }
  sleeper.join();
}

TYPED_TEST(a_mutex, excludes_processes_that_map_it) {
  if constexpr (std::is_same_v<TypeParam, fencepost::interprocess_mutex> ||
                std::is_same_v<TypeParam, fencepost::interprocess_futex_mutex>) {
    struct mapped {
      TypeParam mutex;
      long counter = 0;
    };
    void* const memory =
        ::mmap(nullptr, sizeof(mapped), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    auto* const both = new (memory) mapped;
    constexpr long rounds = 50000;
    const auto count = [both] {
      for (long n = 0; n != rounds; ++n) {
        const std::lock_guard in(both->mutex);
        ++both->counter;
      }
    };
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      count();
      ::_exit(0);
    }
    count();
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(both->counter, 2 * rounds);

    // A process that is killed while it waits takes nothing with it.
    both->mutex.lock();
    for (int n = 0; n != 5; ++n) {
      const pid_t victim = ::fork();
      ASSERT_GE(victim, 0);
      if (victim == 0) {
        both->mutex.lock();
        ::_exit(0);
      }
      std::this_thread::sleep_for(2ms);
      ASSERT_EQ(::kill(victim, SIGKILL), 0);
      ASSERT_EQ(::waitpid(victim, &status, 0), victim);
      EXPECT_TRUE(WIFSIGNALED(status));
    }
    std::thread waiter([&] {
      both->mutex.lock();
      both->mutex.unlock();
    });
    std::this_thread::sleep_for(2ms);
    both->mutex.unlock();
    waiter.join();
    EXPECT_EQ(::munmap(memory, sizeof(mapped)), 0);
  } else {
    GTEST_SKIP() << "for one process";
  }
}

template <class mutex>
struct told : unobserved {
  static constexpr bool enabled = true;
  static inline std::atomic<int> acquired_count{0}, releasing_count{0}, woke_count{0},
      sleeping_count{0}, awake_count{0}, contending_count{0}, gave_up_count{0}, woken{0};
  static void contending(const void*) noexcept { ++contending_count; }
  static void acquired(const void*, unsigned, unsigned) noexcept { ++acquired_count; }
  static void gave_up(const void*, unsigned, unsigned) noexcept { ++gave_up_count; }
  static void releasing(const void*) noexcept { ++releasing_count; }
  static void sleeping(const void*, const futex::word&, std::uint32_t) noexcept {
    ++sleeping_count;
  }
  static void awake(const void*) noexcept { ++awake_count; }
  static void woke(const void*, int threads) noexcept {
    ++woke_count;
    woken += threads;
  }
};

template <template <class, futex::scope, mutex_tuning> class Mutex>
void tells_its_observer() {
  using observer = told<Mutex<unobserved, futex::scope::process, sleepy>>;
  using mutex = Mutex<observer, futex::scope::process, sleepy>;
  mutex door;
  door.lock();
  std::thread([&] { EXPECT_FALSE(door.try_lock_for(1ms)); }).join();
  EXPECT_EQ(observer::gave_up_count, 1);
  EXPECT_EQ(observer::contending_count, 1);
  std::thread sleeper([&] {
    door.lock();
    door.unlock();
  });
  while (observer::sleeping_count == observer::awake_count) std::this_thread::yield();
  std::this_thread::sleep_for(20ms);
  door.unlock();
  sleeper.join();
  EXPECT_EQ(observer::acquired_count, 2);
  EXPECT_EQ(observer::releasing_count, 2);
  EXPECT_EQ(observer::woke_count, 2);
  EXPECT_EQ(observer::contending_count, 2);
  EXPECT_EQ(observer::sleeping_count, observer::awake_count);
  EXPECT_LE(observer::woken, observer::sleeping_count);
}

TEST(mutex, tells_its_observer) { tells_its_observer<fencepost::basic_mutex>(); }
TEST(futex_mutex, tells_its_observer) { tells_its_observer<fencepost::basic_futex_mutex>(); }

template <class mutex>
void unlock_a_free_mutex() {
  mutex door;
  door.unlock();
}

template <class mutex>
void destroy_a_locked_mutex() {
  const auto door = std::make_unique<mutex>();
  door->lock();
}

using watched_mutex = fencepost::basic_mutex<unobserved, futex::scope::process, sleepy>;
using watched_futex_mutex = fencepost::basic_futex_mutex<unobserved, futex::scope::process, sleepy>;

TEST(mutex_death, catches_the_unlock_of_a_free_mutex) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(unlock_a_free_mutex<watched_mutex>(),
               "fencepost::mutex 0x[0-9a-f]+, thread [0-9]+: unlock of a mutex");
  EXPECT_DEATH(unlock_a_free_mutex<watched_futex_mutex>(),
               "fencepost::futex_mutex 0x[0-9a-f]+, thread [0-9]+: unlock of a mutex");
}

TEST(mutex_death, catches_the_destruction_of_a_locked_mutex) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(destroy_a_locked_mutex<watched_mutex>(), "fencepost::mutex .*destroyed while");
  EXPECT_DEATH(destroy_a_locked_mutex<watched_futex_mutex>(),
               "fencepost::futex_mutex .*destroyed while");
}

}  // namespace
