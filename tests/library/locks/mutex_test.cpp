// SPDX-License-Identifier: MIT
#include "fencepost/mutex.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <mutex>
#include <thread>

#include "any_mutex.hpp"
#include "fencepost/futex_mutex.hpp"

namespace {

using namespace std::chrono_literals;
using fencepost::mutex_tuning;
using fencepost::unobserved;
namespace futex = fencepost::futex;

constexpr mutex_tuning sleepy{
    .pausing_rounds = 0, .yielding_rounds = 0, .overtakes = 1, .patience = 1, .catch_misuse = true};
constexpr mutex_tuning unwatched{.catch_misuse = false};

using all =
    testing::Types<fencepost::mutex, fencepost::interprocess_mutex, fencepost::futex_mutex,
                   fencepost::interprocess_futex_mutex,
                   fencepost::basic_mutex<unobserved, futex::scope::process, sleepy>,
                   fencepost::basic_mutex<unobserved, futex::scope::shared, sleepy>,
                   fencepost::basic_futex_mutex<unobserved, futex::scope::process, sleepy>,
                   fencepost::basic_futex_mutex<unobserved, futex::scope::shared, sleepy>,
                   fencepost::basic_mutex<unobserved, futex::scope::process, unwatched>,
                   fencepost::basic_futex_mutex<unobserved, futex::scope::process, unwatched>>;
INSTANTIATE_TYPED_TEST_SUITE_P(mutex, any_mutex, all);

template <class mutex>
class a_mutex : public testing::Test {};
TYPED_TEST_SUITE(a_mutex, all);

TYPED_TEST(a_mutex, has_four_bytes) { EXPECT_EQ(sizeof(TypeParam), 4U); }

TYPED_TEST(a_mutex, is_given_up_at_the_deadline_however_often_a_sleeper_looks_for_itself) {
  TypeParam mutex;
  mutex.lock();
  std::thread([&] {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(mutex.try_lock_for(120ms));
    EXPECT_GE(std::chrono::steady_clock::now() - start, 120ms);
  }).join();
  mutex.unlock();
}

TYPED_TEST(a_mutex, is_given_up_at_the_deadline_however_many_signals_come) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  TypeParam mutex;
  mutex.lock();
  std::atomic<bool> done{false};
  std::thread waiter([&] {
    EXPECT_FALSE(mutex.try_lock_for(60ms));
    done = true;
  });
  while (!done) {
    pthread_kill(waiter.native_handle(), SIGUSR1);
    std::this_thread::sleep_for(5ms);
  }
  waiter.join();
  mutex.unlock();
  sigaction(SIGUSR1, &before, nullptr);
}

TYPED_TEST(a_mutex, is_not_changed_where_it_is_unlocked_only_if_locked) {
  TypeParam mutex;
  mutex.unlock_if_locked();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock_if_locked();
  mutex.unlock_if_locked();
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock());
  mutex.unlock_if_locked();
  EXPECT_FALSE(mutex.is_locked());
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

template <class mutex_type>
void excludes_processes_and_outlives_them() {
  mapped_mutex<mutex_type> both;
  both.two_processes_count();
  ASSERT_FALSE(testing::Test::HasFatalFailure());

  // A process that is killed while it waits takes nothing with it.
  both.mutex().lock();
  for (int n = 0; n != 5; ++n) {
    const pid_t victim = ::fork();
    ASSERT_GE(victim, 0);
    if (victim == 0) {
      both.mutex().lock();
      ::_exit(0);
    }
    std::this_thread::sleep_for(2ms);
    ASSERT_EQ(::kill(victim, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(victim, &status, 0), victim);
    EXPECT_TRUE(WIFSIGNALED(status));
  }
  std::thread waiter([&] {
    both.mutex().lock();
    both.mutex().unlock();
  });
  std::this_thread::sleep_for(2ms);
  both.mutex().unlock();
  waiter.join();
}

TEST(mutex, excludes_processes_and_outlives_them) {
  excludes_processes_and_outlives_them<fencepost::interprocess_mutex>();
}
TEST(futex_mutex, excludes_processes_and_outlives_them) {
  excludes_processes_and_outlives_them<fencepost::interprocess_futex_mutex>();
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
