// SPDX-License-Identifier: MIT
//
// Event counts on real threads: one thread counts, a crowd waits for each version or for any.
#include "fencepost/event_count.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>

#include "event_counts.hpp"
#include "run.hpp"

namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::steady_clock;

template <class count>
class an_event_count : public testing::Test {};
TYPED_TEST_SUITE(an_event_count, real::event_counts);

/// The producer goes on only when everybody has seen the version: a lost wake-up stops it all.
template <class count, class threads>
void in_step(unsigned waiters, long rounds, threads* run) {
  count next;
  fencepost::event_count seen;
  long data = 0;
  std::atomic<long> wrong{0};
  run(waiters + 1, [&](unsigned n) {
    for (long round = 1; round <= rounds; ++round) {
      const auto version = static_cast<typename count::version_type>(round);
      if (n == 0) {
        data = round;
        next.increment();
        const auto wanted = static_cast<std::uint32_t>(round * static_cast<long>(waiters));
        seen.wait([&] { return seen.value() == wanted; });
      } else {
        if (next.wait(version - 1) != version || data != round) ++wrong;
        seen.increment();
      }
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

TYPED_TEST(an_event_count, wakes_one_waiter_each_time) {
  const real::failure_bound bound;
  in_step<TypeParam>(1, real::rounds(3000), real::together);
}

TYPED_TEST(an_event_count, wakes_a_crowd_each_time) {
  const real::failure_bound bound;
  in_step<TypeParam>(real::crowd(), real::rounds(100), real::together);
}

TYPED_TEST(an_event_count, wakes_everybody_in_a_storm_of_signals) {
  const real::failure_bound bound;
  in_step<TypeParam>(3, real::rounds(500), real::together_in_a_storm);
}

/// The producer waits for nobody; the waiters fall behind, catch up and sleep at any moment.
TYPED_TEST(an_event_count, lets_nobody_miss_the_last_version) {
  const real::failure_bound bound;
  for (long round = 0; round != real::rounds(300); ++round) {
    TypeParam versions;
    const typename TypeParam::version_type last = 40;
    real::together(4, [&](unsigned n) {
      if (n == 0) {
        for (typename TypeParam::version_type made = 0; made != last; ++made) {
          versions.increment();
          if (made % 8 == 7) sched_yield();
        }
      } else {
        for (auto seen = versions.value(); seen != last;) seen = versions.wait(seen);
      }
    });
    EXPECT_EQ(versions.value(), last);
  }
}

TYPED_TEST(an_event_count, is_not_confused_by_waiters_whose_time_is_over) {
  const real::failure_bound bound;
  TypeParam next;
  const auto last = static_cast<typename TypeParam::version_type>(real::rounds(1000));
  std::atomic<long> wrong{0};
  real::together(6, [&](unsigned n) {
    if (n == 0) {
      for (typename TypeParam::version_type made = 0; made != last; ++made) {
        next.increment();
        std::this_thread::sleep_for(microseconds(made % 60));
      }
    } else if (n < 3) {
      for (auto seen = next.value(); seen != last;) seen = next.wait(seen);
    } else {
      for (auto seen = next.value(); seen != last; seen = next.value()) {
        const bool changed = next.wait_for(seen, microseconds(n * 15));
        if (changed && next.value() == seen) ++wrong;
      }
    }
  });
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(next.value(), last);
}

TYPED_TEST(an_event_count, keeps_its_deadlines_in_a_storm) {
  const real::failure_bound bound;
  TypeParam never;
  std::atomic<long> early{0};
  real::together_in_a_storm(3, [&](unsigned) {
    for (long round = 0; round != real::rounds(20); ++round) {
      const auto deadline = steady_clock::now() + microseconds(1500);
      if (never.wait_until(0, deadline) || steady_clock::now() < deadline) ++early;
    }
  });
  EXPECT_EQ(early.load(), 0);
  EXPECT_FALSE(never.wait_for(0, microseconds(1)));
}

/// fork() copies the version; a flag that was raised for a thread of the parent costs the child a
/// system call and no more.
TYPED_TEST(an_event_count, goes_on_from_the_same_version_on_both_sides_of_fork) {
  const real::failure_bound bound;
  static TypeParam versions;
  versions.add(7);
  const auto start = versions.value();
  {
    real::sleeper waiting([&] { versions.wait(start); });
    waiting.until_asleep();
    real::process child([&] {
      if (versions.value() != start || versions.wait_for(start, microseconds(100))) return 1;
      for (int n = 0; n != 100; ++n) versions.increment();
      return versions.wait(start) == start + 100 ? 0 : 2;
    });
    EXPECT_EQ(child.status(), 0);
    EXPECT_EQ(versions.value(), start);
    versions.increment();
  }
  EXPECT_EQ(versions.value(), start + 1);
}

struct cancelled {
  template <class count>
  static void* wait_and_die(void* told) {
    auto& its = *static_cast<std::pair<count, std::atomic<int>>*>(told);
    its.second.store(gettid());
    its.first.wait(0);
    its.second.store(-1);
    pthread_testcancel();
    its.second.store(-2);
    return nullptr;
  }
};

TYPED_TEST(an_event_count, is_no_cancellation_point) {
  const real::failure_bound bound;
  std::pair<TypeParam, std::atomic<int>> here;
  pthread_t waiter{};
  ASSERT_EQ(pthread_create(&waiter, nullptr, cancelled::wait_and_die<TypeParam>, &here), 0);
  while (here.second.load() == 0) std::this_thread::yield();
  real::watched(here.second.load()).until_asleep();
  ASSERT_EQ(pthread_cancel(waiter), 0);
  here.first.increment();
  void* end = nullptr;
  ASSERT_EQ(pthread_join(waiter, &end), 0);
  EXPECT_EQ(here.second.load(), -1);
  EXPECT_EQ(end, PTHREAD_CANCELED);
}

TEST(event_count_with_many_producers, counts_every_increment_of_a_crowd) {
  const real::failure_bound bound;
  fencepost::event_count versions;
  const auto each = static_cast<std::uint32_t>(real::rounds(2000));
  const std::uint32_t last = each * real::crowd();
  real::together(real::crowd() + 2, [&](unsigned n) {
    if (n < 2) {
      for (auto seen = versions.value(); seen != last;) seen = versions.wait(seen);
    } else {
      for (std::uint32_t made = 0; made != each; ++made) versions.increment();
    }
  });
  EXPECT_EQ(versions.value(), last);
}

template <class count>
class an_event_count_between_processes : public testing::Test {};
TYPED_TEST_SUITE(an_event_count_between_processes, real::interprocess_event_counts);

template <class count>
struct shared {
  count next;
  fencepost::interprocess_event_count seen;
  long data = 0;
};

TYPED_TEST(an_event_count_between_processes, wakes_those_of_others) {
  const real::failure_bound bound;
  const real::in_shared_memory<shared<TypeParam>> here;
  const long rounds = real::rounds(500);
  const auto wait_for_each = [&] {
    for (long round = 1; round <= rounds; ++round) {
      const auto version = static_cast<typename TypeParam::version_type>(round);
      if (here->next.wait(version - 1) != version || here->data != round) return 1;
      here->seen.increment();
    }
    return 0;
  };
  real::process one(wait_for_each);
  real::process two(wait_for_each);
  for (long round = 1; round <= rounds; ++round) {
    here->data = round;
    here->next.increment();
    const auto wanted = static_cast<std::uint32_t>(2 * round);
    here->seen.wait([&] { return here->seen.value() == wanted; });
  }
  EXPECT_EQ(one.status(), 0);
  EXPECT_EQ(two.status(), 0);
}

TYPED_TEST(an_event_count_between_processes, goes_on_when_a_waiter_is_killed) {
  const real::failure_bound bound;
  const real::in_shared_memory<shared<TypeParam>> here;
  for (long round = 0; round != real::rounds(50); ++round) {
    const auto old = here->next.value();
    const auto wait = [&] { return here->next.wait(old) == old + 1 ? 0 : 1; };
    real::process first(wait);
    first.until_asleep();
    real::process second(wait);
    second.until_asleep();
    EXPECT_EQ((round % 2 == 0 ? first : second).kill_now(), -SIGKILL);
    here->next.increment();
    EXPECT_EQ((round % 2 == 0 ? second : first).status(), 0);
  }
}

/// Killed at any moment: while it spins, raises the flag, sleeps or has been woken. One that is
/// killed as it increments is another matter: it may have woken nobody yet.
TYPED_TEST(an_event_count_between_processes, goes_on_whenever_a_waiter_is_killed) {
  const real::failure_bound bound;
  const real::in_shared_memory<shared<TypeParam>> here;
  const auto last = static_cast<typename TypeParam::version_type>(real::rounds(50));
  real::process survivor([&] {
    for (typename TypeParam::version_type seen = 0; seen != last;) {
      seen = here->next.wait(seen);
      here->seen.increment();
    }
    return 0;
  });
  for (typename TypeParam::version_type made = 0; made != last; ++made) {
    real::process victim([&] {
      for (auto seen = here->next.value(); seen != last;) seen = here->next.wait(seen);
      return 0;
    });
    if (made % 2 == 0) victim.until_asleep();
    const auto before = here->seen.value();
    here->next.increment();
    here->seen.wait(before);
    victim.kill_now();
  }
  EXPECT_EQ(survivor.status(), 0);
}

}  // namespace
