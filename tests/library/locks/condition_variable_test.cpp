// SPDX-License-Identifier: MIT
#include "fencepost/condition_variable.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "fencepost/futex_mutex.hpp"
#include "fencepost/mutex.hpp"

namespace {

using namespace std::chrono_literals;

template <class mutex>
class a_condition_variable_with : public testing::Test {};

using all = testing::Types<fencepost::mutex, fencepost::futex_mutex, std::mutex>;
TYPED_TEST_SUITE(a_condition_variable_with, all);

TYPED_TEST(a_condition_variable_with, wakes_who_waits_for_a_change) {
  static constinit fencepost::condition_variable changed;
  TypeParam door;
  std::deque<int> queue;
  long sum = 0;
  constexpr int items = 20000;
  std::vector<std::thread> consumers;
  for (int n = 0; n != 3; ++n) {
    consumers.emplace_back([&] {
      for (;;) {
        std::unique_lock in(door);
        changed.wait(in, [&] { return !queue.empty(); });
        const int item = queue.front();
        if (item < 0) return;
        queue.pop_front();
        sum += item;
      }
    });
  }
  for (int n = 1; n <= items; ++n) {
    {
      const std::lock_guard in(door);
      queue.push_back(n);
    }
    changed.notify_one();
  }
  {
    const std::lock_guard in(door);
    queue.push_back(-1);
  }
  changed.notify_all();
  for (std::thread& one : consumers) one.join();
  EXPECT_EQ(sum, items * (items + 1L) / 2);
}

TYPED_TEST(a_condition_variable_with, passes_a_ball_to_and_fro) {
  fencepost::condition_variable changed;
  TypeParam door;
  int turn = 0;
  constexpr int rounds = 3000;
  const auto play = [&](int me) {
    for (int n = 0; n != rounds; ++n) {
      std::unique_lock in(door);
      changed.wait(in, [&] { return turn == me; });
      turn = 1 - me;
      changed.notify_one();
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(turn, 0);
}

TYPED_TEST(a_condition_variable_with, waits_no_longer_than_it_is_told) {
  fencepost::condition_variable changed;
  TypeParam door;
  std::unique_lock in(door);
  const auto start = std::chrono::steady_clock::now();
  while (changed.wait_until(in, start + 20ms) == std::cv_status::no_timeout) {
  }
  EXPECT_GE(std::chrono::steady_clock::now() - start, 20ms);
  EXPECT_FALSE(changed.wait_for(in, 10ms, [] { return false; }));
  EXPECT_TRUE(changed.wait_for(in, -1s, [] { return true; }));
  EXPECT_FALSE(
      changed.wait_until(in, std::chrono::system_clock::now() + 5ms, [] { return false; }));
  EXPECT_TRUE(in.owns_lock());
  in.unlock();
  EXPECT_TRUE(door.try_lock());
  door.unlock();
}

TYPED_TEST(a_condition_variable_with, loses_nothing_to_those_who_give_up) {
  fencepost::condition_variable changed;
  TypeParam door;
  int tokens = 0;
  constexpr int all = 2000;
  std::atomic<int> taken{0};
  std::vector<std::thread> takers;
  for (int n = 0; n != 4; ++n) {
    takers.emplace_back([&, n] {
      while (taken < all) {
        std::unique_lock in(door);
        const bool had =
            changed.wait_for(in, n % 2 != 0 ? 50us : 5000us, [&] { return tokens != 0; });
        if (!had) continue;
        --tokens;
        ++taken;
      }
    });
  }
  for (int n = 0; n != all; ++n) {
    {
      const std::lock_guard in(door);
      ++tokens;
    }
    changed.notify_one();
  }
  for (std::thread& one : takers) one.join();
  EXPECT_EQ(taken, all);
  EXPECT_EQ(tokens, 0);
}

TEST(an_interprocess_condition_variable, wakes_another_process) {
  struct mapped {
    fencepost::interprocess_mutex door;
    fencepost::interprocess_condition_variable changed;
    int turn = 0;
  };
  void* const memory =
      ::mmap(nullptr, sizeof(mapped), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const both = new (memory) mapped;
  const auto play = [both](int me) {
    for (int n = 0; n != 500; ++n) {
      std::unique_lock in(both->door);
      both->changed.wait(in, [&] { return both->turn == me; });
      both->turn = 1 - me;
      both->changed.notify_all();
    }
  };
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    play(1);
    ::_exit(0);
  }
  play(0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(both->turn, 0);
  EXPECT_EQ(::munmap(memory, sizeof(mapped)), 0);
}

void destroy_what_somebody_waits_for() {
  using watched = fencepost::basic_condition_variable<fencepost::futex::scope::process, true>;
  auto changed = std::make_unique<watched>();
  std::mutex door;
  bool waits = false;
  std::thread([&] {
    std::unique_lock in(door);
    waits = true;
    changed->wait(in);
    for (;;) ::pause();
  }).detach();
  for (bool seen = false; !seen;) {
    const std::lock_guard in(door);
    seen = waits;
  }
  std::this_thread::sleep_for(200ms);
  changed.reset();
}

TEST(condition_variable_death, catches_destruction_while_threads_wait) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(destroy_what_somebody_waits_for(),
               "fencepost::condition_variable 0x[0-9a-f]+, thread [0-9]+: destroyed while");
}

}  // namespace
