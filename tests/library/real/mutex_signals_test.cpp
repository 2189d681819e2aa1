// SPDX-License-Identifier: MIT
//
// Signals whose handlers do not restart system calls: EINTR, all the time.
#include <sched.h>

#include <chrono>
#include <mutex>

#include "mutexes.hpp"
#include "run.hpp"

namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::steady_clock;

template <class mutex>
class an_interrupted_mutex : public testing::Test {};
TYPED_TEST_SUITE(an_interrupted_mutex, real::mutexes);

/// The same of those that put to sleep who waits.
template <class mutex>
class an_interrupted_mutex_that_sleeps : public testing::Test {};
TYPED_TEST_SUITE(an_interrupted_mutex_that_sleeps, real::mutexes_that_sleep);

TYPED_TEST(an_interrupted_mutex, keeps_its_promises_in_a_storm) {
  const real::failure_bound bound;
  TypeParam mutex;
  long counter = 0;
  const unsigned threads = 4;
  const long each = real::rounds(3000);
  const long signals = real::together_in_a_storm(threads, [&](unsigned n) {
    for (long round = 0; round != each; ++round) {
      const std::lock_guard guard(mutex);
      ++counter;
      if ((round + n) % 8 == 0) sched_yield();
    }
  });
  EXPECT_EQ(counter, each * threads);
  EXPECT_GT(signals, 0);
}

TYPED_TEST(an_interrupted_mutex_that_sleeps, puts_its_sleepers_back_to_sleep) {
  const real::failure_bound bound;
  const real::interruptions without_restart;
  TypeParam mutex;
  std::atomic<bool> is_in{false};
  mutex.lock();
  real::sleeper waiting([&] {
    const std::lock_guard guard(mutex);
    is_in.store(true);
  });
  const real::watched seen = waiting.seen();
  for (long n = 0; n != real::rounds(50); ++n) {
    seen.until_asleep();
    const long slept = seen.sleeps();
    ASSERT_EQ(pthread_kill(waiting.handle(), SIGUSR1), 0);
    seen.until_asleep_again(slept);
    EXPECT_FALSE(is_in.load());
  }
  mutex.unlock();
  waiting.join();
  EXPECT_TRUE(is_in.load());
}

TYPED_TEST(an_interrupted_mutex, is_given_up_at_the_deadline_and_not_before) {
  const real::failure_bound bound;
  TypeParam mutex;
  mutex.lock();
  std::atomic<long> early{0};
  real::together_in_a_storm(3, [&](unsigned) {
    for (long round = 0; round != real::rounds(20); ++round) {
      const auto deadline = steady_clock::now() + microseconds(1500);
      if (mutex.try_lock_until(deadline) || steady_clock::now() < deadline) ++early;
    }
  });
  EXPECT_EQ(early.load(), 0);
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock_for(hours(1)));
  mutex.unlock();
}

}  // namespace
