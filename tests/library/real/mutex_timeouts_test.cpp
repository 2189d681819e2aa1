// SPDX-License-Identifier: MIT
//
// Threads that give up at the very moment at which they are woken.
#include <sched.h>

#include <chrono>
#include <mutex>

#include "mutexes.hpp"
#include "run.hpp"

namespace {

using std::chrono::hours;
using std::chrono::microseconds;

template <class mutex>
class a_mutex_with_impatient_users : public testing::Test {};
TYPED_TEST_SUITE(a_mutex_with_impatient_users, real::mutexes);

/// A wake-up that goes to a thread whose time is over must not be the only one: those who wait
/// without limit would wait for ever. Those with a limit leave at last, too: while they come again
/// and again, a lock that is not fair need let nobody else in, and hardly does where other programs
/// keep the processors busy.
TYPED_TEST(a_mutex_with_impatient_users, forgets_nobody_who_is_patient) {
  const real::failure_bound bound;
  TypeParam mutex;
  long counter = 0;
  std::atomic<long> in_time{0};
  std::atomic<unsigned> patient{3};
  const long each = real::rounds(1500);
  const long attempts = 4 * each;
  real::together(8, [&](unsigned n) {
    if (n < 3) {
      for (long round = 0; round != each; ++round) {
        mutex.lock();
        ++counter;
        if (round % 4 == 0) sched_yield();
        mutex.unlock();
        // Time for everybody to fall asleep but one.
        if (round % 32 == 0) std::this_thread::sleep_for(microseconds(60));
      }
      patient.fetch_sub(1, std::memory_order_relaxed);
    } else {
      unsigned time = n;
      for (long attempt = 0; attempt != attempts; ++attempt, time += 7) {
        if (patient.load(std::memory_order_relaxed) == 0) break;
        if (!mutex.try_lock_for(microseconds(time % 90))) continue;
        ++counter;
        if (time % 4 == 0) sched_yield();
        mutex.unlock();
        in_time.fetch_add(1, std::memory_order_relaxed);
      }
    }
  });
  EXPECT_EQ(counter, 3 * each + in_time.load());
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TYPED_TEST(a_mutex_with_impatient_users, is_as_new_when_all_have_given_up) {
  const real::failure_bound bound;
  TypeParam mutex;
  for (long round = 0; round != real::rounds(50); ++round) {
    mutex.lock();
    std::atomic<unsigned> got{0};
    real::together(6, [&](unsigned n) {
      if (mutex.try_lock_for(microseconds(50 * n))) ++got;
    });
    EXPECT_EQ(got.load(), 0U);
    mutex.unlock();
    EXPECT_TRUE(mutex.try_lock());
    mutex.unlock();
    real::together(2, [&](unsigned) {
      ASSERT_TRUE(mutex.try_lock_for(hours(1)));
      mutex.unlock();
    });
  }
}

}  // namespace
