// SPDX-License-Identifier: MIT
#include "fencepost/detail/event.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <vector>

namespace {

using fencepost::event;
using fencepost::interprocess_event;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

TEST(event, a_wait_whose_epoch_is_over_returns_at_once) {
  event one;
  const auto epoch = one.reset();
  EXPECT_TRUE(one.would_wait(epoch));
  one.set();
  EXPECT_FALSE(one.would_wait(epoch));
  one.wait(epoch);
  EXPECT_TRUE(one.wait_for(epoch, -1h));
  EXPECT_TRUE(one.wait_until(epoch, steady::time_point::min()));
}

TEST(event, a_set_is_not_undone_for_those_who_came_before_it) {
  event one;
  const auto before = one.reset();
  one.set();
  const auto after = one.reset();
  one.wait(before);
  EXPECT_TRUE(one.would_wait(after));
}

TEST(event, setting_what_is_set_changes_nothing) {
  event one;
  EXPECT_EQ(one.set(), 0);
  EXPECT_EQ(one.set(), 0);
  const auto epoch = one.reset();
  EXPECT_EQ(one.reset(), epoch);
  EXPECT_TRUE(one.would_wait(epoch));
}

TEST(event, everybody_is_woken) {
  event one;
  std::atomic<int> ready{0};
  std::vector<std::thread> sleepers;
  for (int n = 0; n != 4; ++n) {
    sleepers.emplace_back([&, n] {
      const auto epoch = one.reset();
      ++ready;
      if (n % 2 == 0) {
        one.wait(epoch);
      } else {
        EXPECT_TRUE(one.wait_for(epoch, 24h));
      }
    });
  }
  while (ready.load() != 4) std::this_thread::yield();
  EXPECT_LE(one.set(), 4);
  for (std::thread& sleeper : sleepers) sleeper.join();
}

TEST(event, a_wait_with_a_deadline_ends_there_and_not_before) {
  event one;
  const auto epoch = one.reset();
  const auto deadline = steady::now() + 20ms;
  EXPECT_FALSE(one.wait_until(epoch, deadline));
  EXPECT_GE(steady::now(), deadline);
  EXPECT_FALSE(one.wait_until(epoch, std::chrono::system_clock::now() + 5ms));
  EXPECT_FALSE(one.wait_for(epoch, 5ms));
  EXPECT_FALSE(one.wait_for(epoch, 0s));
}

TEST(event, works_between_processes) {
  void* const page = mmap(nullptr, sizeof(interprocess_event), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  auto& both = *new (page) interprocess_event;
  const auto epoch = both.reset();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    both.wait(epoch);
    _exit(0);
  }
  both.set();
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(both.would_wait(epoch));
  munmap(page, sizeof(interprocess_event));
}

}  // namespace
