// SPDX-License-Identifier: MIT
//
// The watchdog of unsound locks, step by step: what a mutex tells it, and what it makes of that.
#include "unsound.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <thread>

#include "event_mutex/first_patch_valid.hpp"

namespace {

using fencepost::preload::lost_wakeups;

struct free_or_not {
  [[nodiscard]] bool is_locked() const noexcept { return locked; }
  bool locked;
};

using watch = fencepost::preload::watched_sleep<free_or_not>;

std::uint64_t counted(const free_or_not& mutex, const fencepost::futex::word& event) {
  const std::uint64_t before = lost_wakeups;
  watch::sleeping(&mutex, event, 4);
  watch::awake(&mutex);
  return lost_wakeups - before;
}

TEST(an_unsound_lock, has_lost_a_wakeup_if_it_is_free_and_nobody_set_the_event) {
  const fencepost::futex::word not_set{4};
  EXPECT_EQ(counted({.locked = false}, not_set), 1U);
}

TEST(an_unsound_lock, has_lost_none_while_somebody_has_it) {
  const fencepost::futex::word not_set{4};
  EXPECT_EQ(counted({.locked = true}, not_set), 0U);
}

TEST(an_unsound_lock, has_lost_none_if_the_event_was_set) {
  const fencepost::futex::word set{5};
  EXPECT_EQ(counted({.locked = false}, set), 0U);
}

/// The flag is lowered and nobody is woken, as after a look that came too early: who sleeps gets
/// the lock nevertheless, in each of its tries.
TEST(an_unsound_lock, is_had_in_the_end) {
  using mutex_type = fencepost::preload::unsound_event_mutex<fencepost::study::first_patch_valid>;
  for (int round = 0; round != 5; ++round) {
    mutex_type mutex;
    mutex.lock();
    std::atomic<bool> has_it{false};
    std::thread sleeps([&] {
      mutex.lock();
      has_it = true;
      mutex.unlock();
    });
    // The lock word is the first byte of the mutex, and the flag the second.
    auto* const bytes = reinterpret_cast<std::atomic<bool>*>(&mutex);
    while (!bytes[1]) std::this_thread::yield();
    EXPECT_FALSE(has_it);
    bytes[1] = false;
    bytes[0] = false;
    sleeps.join();
    EXPECT_TRUE(has_it);
  }
}

}  // namespace
