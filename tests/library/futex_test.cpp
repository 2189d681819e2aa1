// SPDX-License-Identifier: MIT
#include "fencepost/futex.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <chrono>
#include <new>
#include <system_error>
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

TEST(futex, what_the_kernel_refuses_is_an_exception) {
  const auto nowhere = reinterpret_cast<const futex::word*>(sizeof(futex::word));
  EXPECT_THROW(futex::wait(*nowhere, 0), std::system_error);
}

}  // namespace
