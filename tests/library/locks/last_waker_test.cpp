// SPDX-License-Identifier: MIT
#include "fencepost/detail/last_waker.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <thread>
#include <vector>

#include "fencepost/event_count.hpp"
#include "fencepost/ring.hpp"

namespace {

using fencepost::detail::last_waker;

std::vector<int> allowed_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  std::vector<int> numbers;
  for (int number = 0; number < CPU_SETSIZE; ++number) {
    if (CPU_ISSET(number, &allowed)) numbers.push_back(number);
  }
  return numbers;
}

/// Runs `what` in a thread that stays on one processor.
template <class What>
std::thread on_processor(int number, What what) {
  return std::thread([number, what] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(number, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    what();
  });
}

TEST(last_waker, is_nowhere_before_anybody_woke) {
  // The entry may be shared with an object of another test, so one is looked for that is not.
  std::vector<char> objects(4096);
  bool somewhere_nobody = false;
  for (const char& object : objects) somewhere_nobody |= !last_waker{&object}.was_here();
  EXPECT_TRUE(somewhere_nobody);
}

TEST(last_waker, was_here_on_its_own_processor_and_on_no_other) {
  const auto processors = allowed_processors();
  int object = 0;
  on_processor(processors.front(), [&] {
    errno = E2BIG;
    last_waker{&object}.is_here();
    EXPECT_TRUE(last_waker{&object}.was_here());
    EXPECT_EQ(errno, E2BIG);
  }).join();
  on_processor(processors.front(), [&] { EXPECT_TRUE(last_waker{&object}.was_here()); }).join();
  if (processors.size() == 1) GTEST_SKIP() << "needs two processors";
  on_processor(processors.back(), [&] {
    EXPECT_FALSE(last_waker{&object}.was_here());
    last_waker{&object}.is_here();
  }).join();
  on_processor(processors.front(), [&] { EXPECT_FALSE(last_waker{&object}.was_here()); }).join();
}

// These would spin for minutes if they span at all, and nobody would ever be found asleep.

TEST(last_waker, on_the_same_processor_is_waited_for_asleep) {
  static constexpr fencepost::event_count_tuning tireless{.spin_rounds = UINT_MAX};
  fencepost::basic_event_count<fencepost::event_count_kind::many_producers, std::uint32_t,
                               fencepost::futex::scope::process, tireless>
      count;
  const int here = allowed_processors().front();
  on_processor(here, [&] { last_waker{&count}.is_here(); }).join();
  std::thread waiter = on_processor(here, [&] { count.wait(0); });
  while (!count.has_waiters()) std::this_thread::yield();
  count.increment();
  waiter.join();
}

TEST(last_waker, of_a_ring_on_the_same_processor_is_waited_for_asleep) {
  using fencepost::ring_status;
  static constexpr fencepost::ring_tuning tireless{.spins = UINT_MAX};
  fencepost::detail::waiting_room<fencepost::futex::scope::process, tireless> room;
  std::atomic<bool> there{false};
  const int here = allowed_processors().front();
  on_processor(here, [&] { room.call_all(); }).join();
  std::thread waiter = on_processor(here, [&] {
    const ring_status came = fencepost::detail::try_until_done(
        room, tireless.spins, ring_status::empty, fencepost::detail::no_deadline{},
        [&]() -> ring_status { return there ? ring_status::success : ring_status::empty; },
        []() noexcept {});
    EXPECT_EQ(came, ring_status::success);
  });
  while (!room.occupied()) std::this_thread::yield();
  there = true;
  room.call_one();
  waiter.join();
}

}  // namespace
