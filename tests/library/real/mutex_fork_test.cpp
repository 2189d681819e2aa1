// SPDX-License-Identifier: MIT
//
// fork() in a process with many threads, of which the child has one.
#include <chrono>
#include <mutex>

#include "mutexes.hpp"
#include "run.hpp"

namespace {

template <class mutex>
class a_mutex_across_fork : public testing::Test {};
TYPED_TEST_SUITE(a_mutex_across_fork, real::mutexes);

/// Takes nobody for gone because of how often it has deferred, but only because of how long.
using patient_mutex =
    fencepost::basic_mutex<fencepost::unobserved, fencepost::futex::scope::process,
                           fencepost::mutex_tuning{.deference = ~0U}>;

/// The same of those that put to sleep who waits.
template <class mutex>
class a_mutex_that_sleeps_across_fork : public testing::Test {};
TYPED_TEST_SUITE(a_mutex_that_sleeps_across_fork, real::mutexes_and<patient_mutex>);

/// Those who wait for it in the parent do not exist in the child, and the mutex must not rely on
/// them.
TYPED_TEST(a_mutex_across_fork, held_by_the_thread_that_forks_is_held_in_both) {
  const real::failure_bound bound;
  static TypeParam mutex;
  mutex.lock();
  std::atomic<int> through{0};
  {
    const auto come_in = [&] {
      const std::lock_guard guard(mutex);
      ++through;
    };
    real::sleeper one(come_in);
    real::sleeper two(come_in);
    if constexpr (real::puts_to_sleep<TypeParam>) {
      one.until_asleep();
      two.until_asleep();
    }
    real::process child([&] {
      if (mutex.try_lock()) return 1;
      mutex.unlock();
      for (int round = 0; round != 1000; ++round) {
        mutex.lock();
        mutex.unlock();
      }
      if (!mutex.try_lock()) return 2;
      mutex.unlock();
      return 0;
    });
    EXPECT_EQ(child.status(), 0);
    EXPECT_EQ(through.load(), 0);
    mutex.unlock();
  }
  EXPECT_EQ(through.load(), 2);
}

/// The same when one who waits was woken in vain so and so often, for this thread takes the mutex
/// again at once. On one processor, where it is sure to be quicker.
TYPED_TEST(a_mutex_that_sleeps_across_fork, relies_on_nobody_who_is_not_there) {
  const real::failure_bound bound;
  const real::on_one_processor pinned;
  for (int turns = 0; turns != 8; ++turns) {
    TypeParam mutex;
    std::atomic<bool> is_in{false};
    mutex.lock();
    real::sleeper waiting([&] {
      const std::lock_guard guard(mutex);
      is_in.store(true);
    });
    waiting.until_asleep();
    for (int turn = 0; turn != turns && !is_in.load(); ++turn) {
      mutex.unlock();
      mutex.lock();
      if (!is_in.load()) waiting.until_asleep();
    }
    real::process child([&] {
      mutex.unlock();
      for (int round = 0; round != 100; ++round) {
        mutex.lock();
        mutex.unlock();
      }
      if (!mutex.try_lock()) return 1;
      mutex.unlock();
      return 0;
    });
    EXPECT_EQ(child.status(), 0);
    mutex.unlock();
  }
}

/// Who holds it is not there to unlock it.
TYPED_TEST(a_mutex_across_fork, held_by_another_thread_is_held_for_ever_in_the_child) {
  const real::failure_bound bound;
  static TypeParam mutex;
  std::atomic<bool> held{false};
  std::atomic<bool> enough{false};
  real::sleeper holder([&] {
    const std::lock_guard guard(mutex);
    held.store(true);
    while (!enough.load()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  while (!held.load()) std::this_thread::yield();
  real::process child([] {
    if (mutex.try_lock()) return 1;
    return mutex.try_lock_for(std::chrono::milliseconds(5)) ? 2 : 0;
  });
  EXPECT_EQ(child.status(), 0);
  enough.store(true);
}

/// The rule for who forks: lock first, unlock on both sides. What the mutex protects is whole then.
TYPED_TEST(a_mutex_across_fork, taken_before_it_protects_what_the_child_sees) {
  const real::failure_bound bound;
  static TypeParam mutex;
  static long first = 0;
  static long second = 0;
  std::atomic<bool> enough{false};
  const auto change_both = [&] {
    while (!enough.load(std::memory_order_relaxed)) {
      const std::lock_guard guard(mutex);
      ++first;
      ++second;
    }
  };
  {
    real::sleeper one(change_both);
    real::sleeper two(change_both);
    for (long round = 0; round != real::rounds(50); ++round) {
      mutex.lock();
      real::process child([] {
        mutex.unlock();
        const std::lock_guard guard(mutex);
        return first == second ? 0 : 1;
      });
      mutex.unlock();
      EXPECT_EQ(child.status(), 0);
    }
    enough.store(true);
  }
  EXPECT_EQ(first, second);
}

}  // namespace
