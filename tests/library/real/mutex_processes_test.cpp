// SPDX-License-Identifier: MIT
//
// One mutex, several processes, some of which are killed.
#include <sched.h>

#include <mutex>

#include "mutexes.hpp"
#include "run.hpp"

namespace {

template <class mutex>
class a_mutex_between_processes : public testing::Test {};
TYPED_TEST_SUITE(a_mutex_between_processes, real::interprocess_mutexes);

template <class mutex>
struct shared {
  mutex lock;
  long counter = 0;
  std::atomic<bool> enough{false};
  bool is_in = false;
};

TYPED_TEST(a_mutex_between_processes, keeps_them_apart) {
  const real::failure_bound bound;
  const real::in_shared_memory<shared<TypeParam>> here;
  const long each = real::rounds(5000);
  const auto work = [&] {
    for (long round = 0; round != each; ++round) {
      const std::lock_guard guard(here->lock);
      ++here->counter;
      if (round % 8 == 0) sched_yield();
    }
    return 0;
  };
  real::process one(work);
  real::process two(work);
  work();
  EXPECT_EQ(one.status(), 0);
  EXPECT_EQ(two.status(), 0);
  EXPECT_EQ(here->counter, 3 * each);
}

TYPED_TEST(a_mutex_between_processes, goes_on_when_one_is_killed_while_it_waits) {
  const real::failure_bound bound;
  const real::in_shared_memory<shared<TypeParam>> here;
  const auto wait = [&] {
    const std::lock_guard guard(here->lock);
    ++here->counter;
    return 0;
  };
  const long rounds = real::rounds(50);
  for (long round = 0; round != rounds; ++round) {
    here->lock.lock();
    // First and last in the queue, if there is one.
    real::process first(wait);
    first.until_asleep();
    real::process second(wait);
    second.until_asleep();
    EXPECT_EQ((round % 2 == 0 ? first : second).kill_now(), -SIGKILL);
    here->lock.unlock();
    EXPECT_EQ((round % 2 == 0 ? second : first).status(), 0);
    const std::lock_guard guard(here->lock);
    EXPECT_EQ(here->counter, round + 1);
  }
}

/// The victim wakes in vain so and so often before it is killed, for this process takes the mutex
/// again at once. On one processor, where it is sure to be quicker.
TYPED_TEST(a_mutex_between_processes, goes_on_when_one_is_killed_that_was_woken_in_vain) {
  const real::failure_bound bound;
  const real::on_one_processor pinned;
  const real::in_shared_memory<shared<TypeParam>> here;
  for (long round = 0; round != real::rounds(40); ++round) {
    here->lock.lock();
    here->is_in = false;
    real::process victim([&] {
      here->lock.lock();
      here->is_in = true;
      here->lock.unlock();
      return 0;
    });
    victim.until_asleep();
    for (long turn = 0; turn != round % 8 && !here->is_in; ++turn) {
      here->lock.unlock();
      here->lock.lock();
      if (!here->is_in) victim.until_asleep();
    }
    const bool had_it = here->is_in;
    if (!had_it) {
      EXPECT_EQ(victim.kill_now(), -SIGKILL);
    }
    here->lock.unlock();
    if (had_it) {
      EXPECT_EQ(victim.status(), 0);
    }
    real::process other([&] {
      const std::lock_guard guard(here->lock);
      return 0;
    });
    EXPECT_EQ(other.status(), 0);
    EXPECT_TRUE(here->lock.try_lock());
    here->lock.unlock();
  }
}

/// Among processes that come back all the time: killed after waking in vain so and so often.
TYPED_TEST(a_mutex_between_processes, goes_on_in_a_crowd_of_which_some_are_killed) {
  const real::failure_bound bound;
  const real::in_shared_memory<shared<TypeParam>> here;
  const auto come_back = [&] {
    while (!here->enough.load()) {
      const std::lock_guard guard(here->lock);
      ++here->counter;
    }
    return 0;
  };
  real::process one(come_back);
  real::process two(come_back);
  for (long round = 0; round != real::rounds(100); ++round) {
    here->lock.lock();
    here->is_in = false;
    real::process victim([&] {
      here->lock.lock();
      here->is_in = true;
      here->lock.unlock();
      return 0;
    });
    victim.until_asleep();
    for (long turn = 0; turn != round % 10 && !here->is_in; ++turn) {
      here->lock.unlock();
      sched_yield();
      here->lock.lock();
    }
    // It is killed while this process holds the mutex, and only if it has not had it: who is killed
    // in unlock() may have woken nobody.
    const bool had_it = here->is_in;
    if (!had_it) {
      EXPECT_EQ(victim.kill_now(), -SIGKILL);
    }
    const long before = here->counter;
    here->lock.unlock();
    for (bool went_on = false; !went_on;) {
      sched_yield();
      const std::lock_guard guard(here->lock);
      went_on = here->counter > before;
    }
    if (had_it) {
      EXPECT_EQ(victim.status(), 0);
    }
  }
  here->enough.store(true);
  EXPECT_EQ(one.status(), 0);
  EXPECT_EQ(two.status(), 0);
}

}  // namespace
