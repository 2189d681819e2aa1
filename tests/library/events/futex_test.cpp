// SPDX-License-Identifier: MIT
#include "fencepost/futex.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <new>
#include <ratio>
#include <thread>

namespace {

namespace futex = fencepost::futex;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

TEST(futex, a_word_that_has_changed_is_not_waited_for) {
  const futex::word word{1};
  EXPECT_EQ(futex::wait(word, 0), futex::outcome::changed);
  EXPECT_EQ(futex::wait_for(word, 0, 1h), futex::outcome::changed);
}

TEST(futex, a_wait_ends_at_its_deadline_and_not_before) {
  const futex::word word{0};
  const auto deadline = steady::now() + 20ms;
  EXPECT_EQ(futex::wait_until(word, 0, deadline), futex::outcome::timed_out);
  EXPECT_GE(steady::now(), deadline);
}

TEST(futex, a_deadline_in_the_past_ends_the_wait_at_once) {
  const futex::word word{0};
  EXPECT_EQ(futex::wait_for(word, 0, -1h), futex::outcome::timed_out);
  EXPECT_EQ(futex::wait_until(word, 0, steady::time_point::min()), futex::outcome::timed_out);
}

TEST(futex, nobody_is_woken_where_nobody_sleeps) {
  const futex::word word{0};
  EXPECT_EQ(futex::wake_all(word), 0);
}

TEST(futex, a_sleeper_is_woken) {
  futex::word word{0};
  std::thread sleeper([&] {
    while (word.load() == 0) futex::wait(word, 0);
  });
  word.store(1);
  futex::wake_all(word);
  sleeper.join();
}

TEST(futex, wake_one_wakes_one_of_two) {
  futex::word word{0};
  std::atomic<int> up{0};
  const auto sleep = [&] {
    EXPECT_EQ(futex::wait(word, 0), futex::outcome::woken);
    ++up;
  };
  std::thread first(sleep);
  std::thread second(sleep);
  int woken = 0;
  while (woken == 0) woken = futex::wake_one(word);
  EXPECT_EQ(woken, 1);
  while (up.load() == 0) std::this_thread::yield();
  while (woken == 1) woken += futex::wake_one(word);
  first.join();
  second.join();
  EXPECT_EQ(up.load(), 2);
}

TEST(futex, a_signal_neither_ends_a_wait_nor_moves_its_deadline) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  const futex::word word{0};
  const auto deadline = steady::now() + 60ms;
  std::atomic<bool> done{false};
  std::thread sleeper([&] {
    EXPECT_EQ(futex::wait_until(word, 0, deadline), futex::outcome::timed_out);
    EXPECT_GE(steady::now(), deadline);
    done = true;
  });
  while (!done) {
    pthread_kill(sleeper.native_handle(), SIGUSR1);
    std::this_thread::sleep_for(5ms);
  }
  sleeper.join();
  sigaction(SIGUSR1, &before, nullptr);
}

TEST(futex, signals_do_not_make_a_nap_longer) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  const futex::word word{0};
  std::atomic<bool> done{false};
  std::thread sleeper([&] {
    const auto begin = steady::now();
    EXPECT_EQ(futex::nap(word, 0, 60), futex::outcome::timed_out);
    EXPECT_GE(steady::now() - begin, 60ms);
    done = true;
  });
  while (!done) {
    pthread_kill(sleeper.native_handle(), SIGUSR1);
    std::this_thread::sleep_for(5ms);
  }
  sleeper.join();
  sigaction(SIGUSR1, &before, nullptr);
}

TEST(futex, a_signal_ends_a_wait_that_asks_for_it) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  const futex::word word{0};
  const auto interrupted = [](auto wait) {
    std::atomic<bool> done{false};
    std::thread sleeper([&] {
      EXPECT_EQ(wait(), futex::outcome::interrupted);
      done = true;
    });
    while (!done) {
      pthread_kill(sleeper.native_handle(), SIGUSR1);
      std::this_thread::sleep_for(1ms);
    }
    sleeper.join();
  };
  const auto ends = futex::signals::end_it;
  interrupted([&] { return futex::wait(word, 0, futex::scope::process, ends); });
  interrupted(
      [&] { return futex::wait_until(word, 0, steady::now() + 1h, futex::scope::process, ends); });
  sigaction(SIGUSR1, &before, nullptr);
}

TEST(futex, shared_words_work_between_processes) {
  void* const page =
      mmap(nullptr, sizeof(futex::word), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  auto& word = *new (page) futex::word(0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    while (word.load() == 0) futex::wait(word, 0, futex::scope::shared);
    _exit(0);
  }
  word.store(1);
  futex::wake_all(word, futex::scope::shared);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  munmap(page, sizeof(futex::word));
}

TEST(futex, what_the_kernel_refuses_is_a_short_sleep) {
  const auto nowhere = reinterpret_cast<const futex::word*>(sizeof(futex::word));
  EXPECT_EQ(futex::wait(*nowhere, 0), futex::outcome::woken);
  EXPECT_EQ(futex::wait_for(*nowhere, 0, 1h), futex::outcome::woken);
  EXPECT_EQ(futex::wait_for(*nowhere, 0, -1h), futex::outcome::timed_out);
  EXPECT_EQ(futex::wait_until(*nowhere, 0, std::chrono::system_clock::now() - 1h),
            futex::outcome::timed_out);
}

// No word can be there, which the kernel says.
__attribute__((no_sanitize("alignment"))) void wake_where_no_word_is() {
  futex::wake_all(*reinterpret_cast<const futex::word*>(1));
}

[[gnu::noinline]] void wait_in_all_ways() {
  const auto nowhere = reinterpret_cast<const futex::word*>(sizeof(futex::word));
  const futex::word word{0};
  futex::wait(*nowhere, 0);
  futex::wait_for(word, 0, 1ms);
  futex::nap(word, 0, 1);
}

TEST(futex, no_wait_is_a_cancellation_point) {
  static std::atomic<bool> returned{false};
  pthread_t thread{};
  // It has no variables: AddressSanitizer takes those of a cancelled function to be there still.
  const auto wait = [](void*) -> void* {
    pthread_cancel(pthread_self());
    wait_in_all_ways();
    returned = true;
    pthread_testcancel();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, nullptr, wait, nullptr), 0);
  void* result = nullptr;
  ASSERT_EQ(pthread_join(thread, &result), 0);
  EXPECT_TRUE(returned);
  EXPECT_EQ(result, PTHREAD_CANCELED);
}

TEST(futex, errno_is_left_alone) {
  const futex::word word{1};
  const auto nowhere = reinterpret_cast<const futex::word*>(sizeof(futex::word));
  errno = 4711;
  futex::wait(word, 0);
  futex::wait_for(word, 1, 1ms);
  futex::wait(*nowhere, 0);
  wake_where_no_word_is();
  EXPECT_EQ(errno, 4711);
}

TEST(futex, a_deadline_may_be_on_the_system_clock) {
  const futex::word word{0};
  const auto deadline = std::chrono::system_clock::now() + 20ms;
  EXPECT_EQ(futex::wait_until(word, 0, deadline), futex::outcome::timed_out);
  EXPECT_GE(std::chrono::system_clock::now(), deadline);
  EXPECT_EQ(futex::wait_until(word, 1, deadline), futex::outcome::changed);
}

/// A clock that goes at half the speed and counts in floating point.
struct slow_clock {
  using rep = double;
  using period = std::ratio<1>;
  using duration = std::chrono::duration<rep, period>;
  using time_point = std::chrono::time_point<slow_clock>;
  [[maybe_unused]] static constexpr bool is_steady = true;
  static time_point now() { return time_point(duration(steady::now().time_since_epoch()) / 2); }
};

TEST(futex, a_deadline_may_be_on_any_clock) {
  const futex::word word{0};
  const auto begin = steady::now();
  const auto deadline = slow_clock::now() + 20ms;
  EXPECT_EQ(futex::wait_until(word, 0, deadline), futex::outcome::timed_out);
  EXPECT_GE(slow_clock::now(), deadline);
  EXPECT_GE(steady::now() - begin, 39ms);
}

TEST(futex, times_beyond_the_clock_are_for_ever) {
  futex::word word{0};
  std::atomic<int> asleep{0};
  const auto sleep = [&](auto wait) {
    return std::thread([&asleep, &word, wait] {
      ++asleep;
      while (word.load() == 0) EXPECT_NE(wait(), futex::outcome::timed_out);
    });
  };
  std::thread threads[] = {
      sleep([&] { return futex::wait_for(word, 0, std::chrono::hours::max()); }),
      sleep([&] { return futex::wait_for(word, 0, steady::duration::max()); }),
      sleep([&] { return futex::wait_until(word, 0, steady::time_point::max()); }), sleep([&] {
        return futex::wait_until(word, 0, std::chrono::system_clock::time_point::max());
      })};
  while (asleep != 4) std::this_thread::yield();
  std::this_thread::sleep_for(10ms);
  word = 1;
  futex::wake_all(word);
  for (auto& thread : threads) thread.join();
}

}  // namespace
