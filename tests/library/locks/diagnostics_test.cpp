// SPDX-License-Identifier: MIT
#include "fencepost/diagnostics.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fencepost/event_mutex.hpp"
#include "fencepost/futex_mutex.hpp"
#include "fencepost/mutex.hpp"
#include "fencepost/protocol/exchange.hpp"

namespace {

namespace diagnostics = fencepost::diagnostics;
using namespace std::chrono_literals;
using diagnostics::recorded;
using recorded_mutex = fencepost::basic_mutex<recorded>;
using recorded_event_mutex = fencepost::event_mutex<fencepost::protocol::exchange,
                                                    fencepost::event_mutex_tuning{}, recorded>;

pid_t this_thread() { return static_cast<pid_t>(syscall(SYS_gettid)); }

template <class Predicate>
void await(Predicate predicate) {
  while (!predicate()) std::this_thread::sleep_for(1ms);
}

diagnostics::lock_report report_of(const void* lock) {
  for (const auto& report : diagnostics::locks()) {
    if (report.lock == lock) return report;
  }
  return {};
}

/// The wait of one thread, if it sleeps in there.
bool sleeps(pid_t thread, const void* lock) {
  for (const auto& wait : diagnostics::waits()) {
    if (wait.thread == thread && wait.lock == lock && wait.asleep) return true;
  }
  return false;
}

bool sleeps_in_the_kernel(pid_t thread) {
  for (const auto& seen : diagnostics::detail::look_at_all()) {
    if (seen.thread == thread) return diagnostics::detail::sleeps_on_an_unchanged_word(seen);
  }
  return false;
}

template <class Mutex>
class diagnosed : public testing::Test {};
using mutexes = testing::Types<recorded_mutex, recorded_event_mutex>;
TYPED_TEST_SUITE(diagnosed, mutexes);

TYPED_TEST(diagnosed, acquisitions_and_failed_tries_are_counted) {
  TypeParam mutex;
  diagnostics::forget(&mutex);
  diagnostics::name(&mutex, "counted");
  for (int n = 0; n != 10; ++n) {
    mutex.lock();
    mutex.unlock();
  }
  ASSERT_TRUE(mutex.try_lock());
  EXPECT_EQ(report_of(&mutex).holder, this_thread());
  std::thread([&] { EXPECT_FALSE(mutex.try_lock()); }).join();
  mutex.unlock();
  const auto report = report_of(&mutex);
  EXPECT_EQ(report.acquisitions, 11U);
  EXPECT_EQ(report.contended, 0U);
  EXPECT_EQ(report.gave_up, 1U);
  EXPECT_EQ(report.holder, 0);
  EXPECT_STREQ(report.name, "counted");
}

TYPED_TEST(diagnosed, a_wait_names_the_lock_the_holder_and_the_time) {
  TypeParam mutex;
  diagnostics::forget(&mutex);
  std::atomic<pid_t> waiter{0};
  mutex.lock();
  std::thread other([&] {
    waiter = this_thread();
    mutex.lock();
    mutex.unlock();
  });
  await([&] { return waiter != 0 && sleeps(waiter, &mutex); });
  for (const auto& wait : diagnostics::waits()) {
    if (wait.thread != waiter) continue;
    EXPECT_EQ(wait.holder, this_thread());
    EXPECT_GT(wait.waiting, 0ns);
    EXPECT_GE(wait.held, wait.waiting);
    EXPECT_NE(diagnostics::to_string(wait).find(std::to_string(this_thread())), std::string::npos);
  }
  EXPECT_TRUE(diagnostics::lost_wakeups().empty());
  mutex.unlock();
  other.join();
  const auto report = report_of(&mutex);
  EXPECT_EQ(report.acquisitions, 2U);
  EXPECT_EQ(report.contended, 1U);
  EXPECT_GE(report.sleeps, 1U);
  EXPECT_GE(report.wakeups + report.hand_overs, 1U);
  EXPECT_GT(report.waited, 0ns);
  EXPECT_EQ(report.waited, report.longest_wait);
  EXPECT_TRUE(diagnostics::waits().empty());
}

TYPED_TEST(diagnosed, a_cycle_of_sleepers_is_a_deadlock_and_is_named) {
  // In a process of its own, for nobody gets out of it.
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    static TypeParam first;
    static TypeParam second;
    static std::atomic<int> holding{0};
    diagnostics::name(&first, "first");
    diagnostics::name(&second, "second");
    const auto lock_both = [](TypeParam& one, TypeParam& other) {
      one.lock();
      ++holding;
      while (holding != 2) std::this_thread::yield();
      other.lock();
    };
    std::thread(lock_both, std::ref(first), std::ref(second)).detach();
    std::thread(lock_both, std::ref(second), std::ref(first)).detach();
    std::vector<std::vector<diagnostics::wait_report>> found;
    await([&] {
      found = diagnostics::deadlocks();
      return !found.empty();
    });
    const std::string text = diagnostics::to_string(found[0]);
    const bool good =
        found.size() == 1 && found[0].size() == 2 && found[0][0].holder == found[0][1].thread &&
        found[0][1].holder == found[0][0].thread && text.find("first (") != std::string::npos &&
        text.find("second (") != std::string::npos;
    std::vector<std::string> said;
    diagnostics::watchdog watchdog({.interval = 1h, .longest_wait = 1h},
                                   [&](const std::string& finding) { said.push_back(finding); });
    watchdog.look();
    watchdog.look();
    _exit(good && said == std::vector<std::string>{said.at(0)} && said[0].starts_with("deadlock: ")
              ? 0
              : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TYPED_TEST(diagnosed, a_chain_that_ends_with_a_running_thread_is_no_deadlock) {
  TypeParam first;
  TypeParam second;
  std::atomic<pid_t> ids[2] = {0, 0};
  first.lock();
  std::thread middle([&] {
    second.lock();
    ids[0] = this_thread();
    first.lock();
    first.unlock();
    second.unlock();
  });
  await([&] { return ids[0] != 0 && sleeps(ids[0], &first); });
  std::thread last([&] {
    ids[1] = this_thread();
    second.lock();
    second.unlock();
  });
  await([&] { return ids[1] != 0 && sleeps(ids[1], &second); });
  EXPECT_TRUE(diagnostics::deadlocks().empty());
  EXPECT_TRUE(diagnostics::lost_wakeups().empty());
  first.unlock();
  middle.join();
  last.join();
}

TYPED_TEST(diagnosed, a_sound_lock_under_load_never_loses_a_wakeup) {
  TypeParam mutex;
  diagnostics::forget(&mutex);
  constexpr int threads = 8;
  constexpr int rounds = 2000;
  std::atomic<int> left{threads};
  int counter = 0;
  std::vector<std::thread> all;
  for (int n = 0; n != threads; ++n) {
    all.emplace_back([&] {
      for (int round = 0; round != rounds; ++round) {
        const std::lock_guard in(mutex);
        ++counter;
        if (round % 16 == 0) std::this_thread::yield();
      }
      --left;
    });
  }
  while (left != 0) {
    EXPECT_TRUE(diagnostics::lost_wakeups().empty());
    EXPECT_TRUE(diagnostics::deadlocks().empty());
    std::this_thread::yield();
  }
  for (auto& thread : all) thread.join();
  EXPECT_EQ(counter, threads * rounds);
  EXPECT_EQ(report_of(&mutex).acquisitions, static_cast<unsigned>(threads * rounds));
}

/// Records, but only once it may that a lock was taken.
struct recorded_late : recorded {
  static inline std::atomic<const void*> holds_up{nullptr};
  static inline std::atomic<bool> has_it{false};
  static void acquired(const void* lock, unsigned spins, unsigned sleeps) noexcept {
    has_it = true;
    while (holds_up == lock) std::this_thread::yield();
    recorded::acquired(lock, spins, sleeps);
  }
};

template <class Mutex>
class diagnosed_late : public testing::Test {};
using mutexes_recorded_late =
    testing::Types<fencepost::basic_mutex<recorded_late>,
                   fencepost::basic_futex_mutex<recorded_late>,
                   fencepost::event_mutex<fencepost::protocol::exchange,
                                          fencepost::event_mutex_tuning{}, recorded_late>>;
TYPED_TEST_SUITE(diagnosed_late, mutexes_recorded_late);

TYPED_TEST(diagnosed_late, a_lock_that_was_just_taken_is_not_free) {
  using lock_function = void (*)(TypeParam&);
  for (const lock_function lock :
       {lock_function([](TypeParam& one) { one.lock(); }),
        lock_function([](TypeParam& one) { EXPECT_TRUE(one.try_lock()); }),
        lock_function([](TypeParam& one) { EXPECT_TRUE(one.try_lock_for(1h)); })}) {
    TypeParam mutex;
    diagnostics::forget(&mutex);
    recorded_late::holds_up = &mutex;
    recorded_late::has_it = false;
    std::thread holder([&] {
      lock(mutex);
      mutex.unlock();
    });
    await([&] { return recorded_late::has_it.load(); });
    std::atomic<pid_t> waiter{0};
    std::thread sleeper([&] {
      waiter = this_thread();
      mutex.lock();
      mutex.unlock();
    });
    await([&] { return waiter != 0 && sleeps_in_the_kernel(waiter); });
    EXPECT_TRUE(diagnostics::lost_wakeups().empty());
    recorded_late::holds_up = nullptr;
    holder.join();
    sleeper.join();
  }
}

TEST(diagnostics, a_sleeper_whose_lock_is_free_and_whom_nobody_wakes_has_lost_its_wakeup) {
  // A lock whose unlock() forgets to wake.
  fencepost::futex::word word{1};
  std::atomic<pid_t> waiter{0};
  recorded::acquired(&word, 0, 0);
  std::thread sleeper([&] {
    waiter = this_thread();
    recorded::contending(&word);
    recorded::sleeping(&word, word, 1);
    while (word == 1) fencepost::futex::wait(word, 1);
    recorded::awake(&word);
    recorded::gave_up(&word, 0, 1);
  });
  await([&] { return waiter != 0 && sleeps(waiter, &word); });
  EXPECT_TRUE(diagnostics::lost_wakeups().empty()) << "the lock is held";
  recorded::releasing(&word);
  EXPECT_TRUE(diagnostics::lost_wakeups().empty()) << "somebody is inside unlock()";
  recorded::woke(&word, 0);
  std::vector<diagnostics::wait_report> lost;
  await([&] {
    lost = diagnostics::lost_wakeups();
    return !lost.empty();
  });
  EXPECT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].thread, waiter);
  EXPECT_EQ(lost[0].lock, &word);

  std::vector<std::string> said;
  diagnostics::watchdog watchdog({.interval = 1h, .longest_wait = 1h},
                                 [&](const std::string& finding) { said.push_back(finding); });
  watchdog.look();
  watchdog.look();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(said[0].starts_with("lost wake-up: thread ")) << said[0];

  word = 0;  // whoever is about to be woken has not lost anything
  EXPECT_TRUE(diagnostics::lost_wakeups().empty());
  fencepost::futex::wake_all(word);
  sleeper.join();
}

TEST(diagnostics, a_wait_beyond_the_limit_is_reported_once) {
  recorded_mutex mutex;
  diagnostics::name(&mutex, "slow");
  std::atomic<pid_t> waiter{0};
  mutex.lock();
  std::thread other([&] {
    waiter = this_thread();
    mutex.lock();
    mutex.unlock();
  });
  await([&] { return waiter != 0 && sleeps(waiter, &mutex); });
  std::mutex guard;
  std::vector<std::string> said;
  const auto count = [&] {
    const std::lock_guard in(guard);
    return said.size();
  };
  {
    diagnostics::watchdog watchdog({.interval = 1ms, .longest_wait = 0ns},
                                   [&](const std::string& finding) {
                                     const std::lock_guard in(guard);
                                     said.push_back(finding);
                                   });
    await([&] { return count() != 0; });
    watchdog.look();
    watchdog.look();
  }
  mutex.unlock();
  other.join();
  EXPECT_EQ(said.size(), 1U);
  EXPECT_TRUE(said[0].starts_with("long wait: thread ")) << said[0];
  EXPECT_NE(said[0].find("slow ("), std::string::npos) << said[0];
}

TEST(diagnostics, a_report_can_be_written) {
  recorded_mutex mutex;
  diagnostics::name(&mutex, "written");
  mutex.lock();
  mutex.unlock();
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  diagnostics::write(file);
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  EXPECT_NE(text.find("acquisitions"), std::string::npos);
  EXPECT_NE(text.find("written ("), std::string::npos);
}

TEST(diagnostics, more_locks_than_there_is_room_for_are_counted_and_still_lock) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::vector<recorded_mutex> many(5000);
    for (auto& mutex : many) {
      mutex.lock();
      mutex.unlock();
    }
    _exit(diagnostics::not_recorded() != 0 && diagnostics::locks().size() > 3500 ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
