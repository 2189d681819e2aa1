// SPDX-License-Identifier: MIT
//
// Many more threads than processors.
#include <sched.h>

#include <chrono>
#include <mutex>

#include "mutexes.hpp"
#include "run.hpp"

namespace {

/// The rounds for a mutex. A spin lock whose holder has lost its processor keeps everybody spinning
/// for as long as others have it, so that a crowd takes its time: a quarter of the rounds have
/// hundreds of such holders.
template <class mutex>
long rounds(long all) {
  return real::rounds(real::puts_to_sleep<mutex> ? all : all / 4);
}

template <class mutex>
class a_mutex_in_a_crowd : public testing::Test {};
TYPED_TEST_SUITE(a_mutex_in_a_crowd, real::mutexes);

/// The same of those that put to sleep who waits.
template <class mutex>
class a_mutex_that_sleeps_in_a_crowd : public testing::Test {};
TYPED_TEST_SUITE(a_mutex_that_sleeps_in_a_crowd, real::mutexes_that_sleep);

TYPED_TEST(a_mutex_in_a_crowd, lets_everybody_in_one_at_a_time) {
  const real::failure_bound bound;
  TypeParam mutex;
  long counter = 0;
  const long each = rounds<TypeParam>(2000);
  real::together(real::crowd(), [&](unsigned n) {
    for (long round = 0; round != each; ++round) {
      const std::lock_guard guard(mutex);
      ++counter;
      // The processor goes to somebody who cannot get in.
      if ((round + n) % 16 == 0) sched_yield();
    }
  });
  EXPECT_EQ(counter, each * real::crowd());
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TYPED_TEST(a_mutex_in_a_crowd, keeps_apart_who_locks_who_tries_and_who_has_no_time) {
  const real::failure_bound bound;
  TypeParam mutex;
  long counter = 0;
  std::atomic<long> entered{0};
  const long each = rounds<TypeParam>(1000);
  real::together(real::crowd(), [&](unsigned n) {
    for (long round = 0; round != each; ++round) {
      bool in = false;
      if (n % 3 == 0) {
        mutex.lock();
        in = true;
      } else {
        in = n % 3 == 1 ? mutex.try_lock() : mutex.try_lock_for(std::chrono::microseconds(20));
      }
      if (!in) continue;
      ++counter;
      if ((round + n) % 16 == 0) sched_yield();
      mutex.unlock();
      entered.fetch_add(1, std::memory_order_relaxed);
    }
  });
  EXPECT_EQ(counter, entered.load());
  EXPECT_GE(counter, each * (real::crowd() / 3));
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

/// Who waits with others gets in although they come back all the time.
TYPED_TEST(a_mutex_that_sleeps_in_a_crowd, lets_in_who_comes_once_among_those_who_come_back) {
  const real::failure_bound bound;
  TypeParam mutex;
  const long newcomers = real::rounds(100);
  std::atomic<long> came{0};
  real::together(real::crowd(), [&](unsigned n) {
    if (n == 0) {
      for (long one = 0; one != newcomers; ++one) {
        mutex.lock();
        mutex.unlock();
        came.fetch_add(1, std::memory_order_relaxed);
        sched_yield();
      }
    } else {
      while (came.load(std::memory_order_relaxed) != newcomers) {
        const std::lock_guard guard(mutex);
        if (n % 4 == 0) sched_yield();
      }
    }
  });
  EXPECT_EQ(came.load(), newcomers);
}

}  // namespace
