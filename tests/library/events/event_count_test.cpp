// SPDX-License-Identifier: MIT
#include "fencepost/event_count.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <new>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

using namespace fencepost;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr event_count_tuning no_spin{.spin_rounds = 0};
constexpr event_count_tuning no_barrier{
    .spin_rounds = 0, .heavy_barrier = false, .first_nap = 100, .longest_nap = 1'000};

template <template <class, futex::scope, event_count_tuning> class Kind, class Version,
          event_count_tuning Tuning>
using tuned = basic_event_count<Kind, Version, futex::scope::process, Tuning>;

template <class Count>
class every_event_count : public testing::Test {};

using every_kind =
    testing::Types<event_count, event_count64, single_producer_event_count,
                   single_producer_event_count64, two_word_event_count, two_word_event_count64,
                   interprocess_event_count, interprocess_event_count64,
                   interprocess_single_producer_event_count,
                   interprocess_single_producer_event_count64, interprocess_two_word_event_count,
                   interprocess_two_word_event_count64,
                   tuned<event_count_kind::many_producers, std::uint64_t, no_spin>,
                   tuned<event_count_kind::one_producer, std::uint32_t, no_spin>,
                   tuned<event_count_kind::one_producer, std::uint64_t, no_barrier>,
                   tuned<event_count_kind::two_words, std::uint32_t, no_spin>,
                   tuned<event_count_kind::two_words, std::uint64_t, no_barrier>>;
TYPED_TEST_SUITE(every_event_count, every_kind);

template <class Count>
void sleep_until_somebody_waits(const Count& count) {
  while (!count.has_waiters()) std::this_thread::yield();
}

TYPED_TEST(every_event_count, counts_from_where_it_starts) {
  TypeParam count{40};
  EXPECT_EQ(count.value(), 40U);
  count.increment();
  EXPECT_EQ(count.value(), 41U);
  EXPECT_EQ(count.add(5), 41U);
  EXPECT_EQ(count.value(), 46U);
  EXPECT_FALSE(count.has_waiters());
}

TYPED_TEST(every_event_count, can_be_initialised_before_the_program_runs) {
  static constinit TypeParam count;
  EXPECT_EQ(count.value(), 0U);
  EXPECT_EQ(std::is_copy_constructible_v<TypeParam>, false);
}

TYPED_TEST(every_event_count, adding_nothing_leaves_version_and_flag_alone) {
  TypeParam count{7};
  EXPECT_FALSE(count.wait_for(7, 1ms));
  EXPECT_TRUE(count.has_waiters());
  EXPECT_EQ(count.add(0), 7U);
  EXPECT_EQ(count.value(), 7U);
}

TYPED_TEST(every_event_count, does_not_wait_for_what_has_happened) {
  TypeParam count;
  count.increment();
  EXPECT_EQ(count.wait(0), 1U);
  EXPECT_TRUE(count.wait_for(0, 1h));
  EXPECT_TRUE(count.wait_until(0, steady_clock::now() + 1h));
  EXPECT_TRUE(count.wait_until(0, std::chrono::system_clock::now() + 1h));
  EXPECT_TRUE(count.wait_for(0, -1s));
  EXPECT_FALSE(count.has_waiters());
}

TYPED_TEST(every_event_count, a_sleeper_is_woken_by_the_increment) {
  TypeParam count;
  int data = 0;
  std::thread waiter([&] {
    EXPECT_EQ(count.wait(0), 1U);
    EXPECT_EQ(data, 42);
  });
  sleep_until_somebody_waits(count);
  data = 42;
  count.increment();
  waiter.join();
  EXPECT_FALSE(count.has_waiters());
}

TYPED_TEST(every_event_count, every_sleeper_is_woken) {
  TypeParam count;
  std::vector<std::thread> waiters;
  for (int n = 0; n != 4; ++n) {
    waiters.emplace_back([&] {
      for (typename TypeParam::version_type seen = 0; seen < 50;) seen = count.wait(seen);
    });
  }
  for (int n = 0; n != 50; ++n) {
    sleep_until_somebody_waits(count);
    count.increment();
  }
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(count.value(), 50U);
}

TYPED_TEST(every_event_count, gives_up_at_its_deadline_and_not_before) {
  TypeParam count{3};
  const auto start = steady_clock::now();
  EXPECT_FALSE(count.wait_for(3, 20ms));
  EXPECT_GE(steady_clock::now() - start, 20ms);
  EXPECT_FALSE(count.wait_until(3, steady_clock::now() + 5ms));
  const auto wall = std::chrono::system_clock::now() + 5ms;
  EXPECT_FALSE(count.wait_until(3, wall));
  EXPECT_GE(std::chrono::system_clock::now(), wall);
  EXPECT_FALSE(count.wait_for(3, 0s));
  EXPECT_FALSE(count.wait_for(3, -1h));
  EXPECT_FALSE(count.wait_until(3, steady_clock::time_point::min()));
}

TYPED_TEST(every_event_count, a_deadline_that_is_over_makes_no_preparations) {
  TypeParam count;
  EXPECT_FALSE(count.wait_for(0, -1s));
  EXPECT_FALSE(count.wait_until(0, steady_clock::now()));
  EXPECT_FALSE(count.has_waiters());
}

TYPED_TEST(every_event_count, deadlines_beyond_the_end_of_time_are_never) {
  TypeParam count;
  std::thread waiter([&] { EXPECT_TRUE(count.wait_for(0, std::chrono::hours::max())); });
  sleep_until_somebody_waits(count);
  count.increment();
  waiter.join();
  std::thread another(
      [&] { EXPECT_TRUE(count.wait_until(1, std::chrono::system_clock::time_point::max())); });
  sleep_until_somebody_waits(count);
  count.increment();
  another.join();
}

TYPED_TEST(every_event_count, waits_for_a_predicate) {
  TypeParam count;
  std::atomic<int> goods{0};
  std::thread waiter([&] {
    count.wait([&] { return goods.load(std::memory_order_relaxed) == 3; });
    EXPECT_TRUE(count.wait_for(1h, [&] { return goods.load(std::memory_order_relaxed) == 4; }));
    EXPECT_TRUE(count.wait_until(steady_clock::now() + 1h, [&] { return goods.load() == 5; }));
  });
  for (int n = 1; n <= 5; ++n) {
    sleep_until_somebody_waits(count);
    goods.store(n, std::memory_order_relaxed);
    count.increment();
  }
  waiter.join();
  EXPECT_FALSE(count.wait_for(1ms, [&] { return goods.load() == 6; }));
  EXPECT_TRUE(count.wait_for(-1s, [&] { return goods.load() == 5; }));
}

TYPED_TEST(every_event_count, waits_for_a_predicate_that_can_only_be_moved) {
  TypeParam count;
  const auto predicate = [] { return [yes = std::make_unique<bool>(true)] { return *yes; }; };
  count.wait(predicate());
  EXPECT_TRUE(count.wait_for(1h, predicate()));
  EXPECT_TRUE(count.wait_until(steady_clock::now() + 1h, predicate()));
}

TYPED_TEST(every_event_count, no_increment_of_many_is_missed) {
  // A ping-pong that stands still as soon as one wake-up is lost.
  TypeParam ping;
  TypeParam pong;
  constexpr unsigned rounds = 2'000;
  unsigned carried = 0;
  std::thread other([&] {
    for (unsigned n = 0; n != rounds; ++n) {
      ping.wait(n);
      EXPECT_EQ(carried, n + 1);
      pong.increment();
    }
  });
  for (unsigned n = 0; n != rounds; ++n) {
    carried = n + 1;
    ping.increment();
    pong.wait(n);
  }
  other.join();
}

TYPED_TEST(every_event_count, waits_that_run_out_of_time_lose_no_wake_up_of_others) {
  TypeParam count;
  std::atomic<bool> over{false};
  std::thread impatient([&] {
    while (!over.load()) count.wait_for(count.value(), 50us);
  });
  std::thread patient([&] {
    for (typename TypeParam::version_type seen = 0; seen < 300;) seen = count.wait(seen);
  });
  for (int n = 0; n != 300; ++n) {
    sleep_until_somebody_waits(count);
    count.increment();
  }
  patient.join();
  over.store(true);
  count.increment();
  impatient.join();
}

TYPED_TEST(every_event_count, versions_wrap_around_and_are_waited_for_all_the_same) {
  constexpr auto last = TypeParam::last_version;
  TypeParam count{last - 1};
  std::atomic<int> waits{0};
  std::thread waiter([&] {
    waits.store(1);
    EXPECT_EQ(count.wait(last - 1), last);
    waits.store(2);
    EXPECT_EQ(count.wait(last), 0U);
    waits.store(3);
    EXPECT_EQ(count.wait(0), 1U);
    waits.store(4);
  });
  for (int n = 1; n <= 3; ++n) {
    while (waits.load() != n) std::this_thread::yield();
    std::this_thread::sleep_for(1ms);
    count.increment();
  }
  waiter.join();
  EXPECT_EQ(count.value(), 1U);
}

TYPED_TEST(every_event_count, a_storm_of_signals_disturbs_nobody) {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  struct sigaction before {};
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
  TypeParam count;
  std::atomic<bool> timed_out{false};
  std::atomic<bool> woken{false};
  std::thread waiter([&] {
    errno = 17;
    EXPECT_FALSE(count.wait_for(0, 30ms));
    timed_out.store(true);
    count.wait(0);
    EXPECT_EQ(errno, 17);
    woken.store(true);
  });
  sleep_until_somebody_waits(count);
  const auto handle = waiter.native_handle();
  // However late it gets its processor.
  for (int n = 0; n < 300 || !timed_out.load(); ++n) {
    ::pthread_kill(handle, SIGUSR1);
    std::this_thread::sleep_for(200us);
  }
  EXPECT_FALSE(woken.load());
  count.increment();
  waiter.join();
  ::sigaction(SIGUSR1, &before, nullptr);
}

TYPED_TEST(every_event_count, says_what_its_sleepers_rely_on) {
  const certainty said = TypeParam::certainty();
  EXPECT_EQ(said, TypeParam::certainty());
}

TEST(event_count, has_the_size_of_its_words) {
  EXPECT_EQ(sizeof(event_count), 4U);
  EXPECT_EQ(sizeof(event_count64), 8U);
  EXPECT_EQ(sizeof(single_producer_event_count), 4U);
  EXPECT_EQ(sizeof(single_producer_event_count64), 8U);
  EXPECT_EQ(sizeof(two_word_event_count), 8U);
  EXPECT_EQ(sizeof(two_word_event_count64), 16U);
}

TEST(event_count, is_certain_by_order_with_many_producers) {
  EXPECT_EQ(event_count::certainty(), certainty::by_order);
  EXPECT_EQ(interprocess_event_count64::certainty(), certainty::by_order);
}

TEST(event_count, is_certain_by_barrier_where_the_kernel_has_one) {
  const bool barrier = light_fence_is_free(asymmetric_fence_strategy());
  EXPECT_EQ(two_word_event_count::certainty(),
            barrier ? certainty::by_barrier : certainty::by_order);
  if constexpr (instrumentation::has_nonatomic_fetch_add) {
    EXPECT_EQ(single_producer_event_count::certainty(),
              barrier ? certainty::by_barrier : certainty::by_time);
  } else {
    EXPECT_EQ(single_producer_event_count::certainty(), certainty::by_order);
  }
}

TEST(event_count, is_certain_between_processes_where_the_fence_reaches_them_all) {
  const bool barrier = light_fence_is_free(interprocess_asymmetric_fence_strategy());
  const bool reaches = interprocess_asymmetric_fence_reaches_all();
  const auto expected = barrier   ? certainty::by_barrier
                        : reaches ? certainty::by_order
                                  : certainty::by_time;
  EXPECT_EQ(interprocess_two_word_event_count::certainty(), expected);
  if constexpr (instrumentation::has_nonatomic_fetch_add) {
    EXPECT_EQ(interprocess_single_producer_event_count::certainty(), expected);
  }
  EXPECT_EQ(interprocess_asymmetric_thread_fence_heavy(), reaches);
}

TEST(event_count, is_certain_by_time_where_the_barrier_is_not_wanted) {
  EXPECT_EQ((tuned<event_count_kind::two_words, std::uint32_t, no_barrier>::certainty()),
            certainty::by_time);
  if constexpr (instrumentation::has_nonatomic_fetch_add) {
    EXPECT_EQ((tuned<event_count_kind::one_producer, std::uint32_t, no_barrier>::certainty()),
              certainty::by_time);
  }
}

TEST(event_count, many_producers_make_as_many_versions_as_they_say) {
  event_count count;
  constexpr unsigned each = 20'000;
  std::vector<std::thread> producers;
  for (int n = 0; n != 4; ++n) {
    producers.emplace_back([&] {
      for (unsigned i = 0; i != each; ++i) count.increment();
    });
  }
  for (unsigned seen = 0; seen != 4 * each;) seen = count.wait(seen);
  for (std::thread& producer : producers) producer.join();
  EXPECT_EQ(count.value(), 4 * each);
}

template <class Count>
class between_processes : public testing::Test {};
using every_shared_kind =
    testing::Types<interprocess_event_count, interprocess_event_count64,
                   interprocess_single_producer_event_count,
                   interprocess_single_producer_event_count64, interprocess_two_word_event_count,
                   interprocess_two_word_event_count64>;
TYPED_TEST_SUITE(between_processes, every_shared_kind);

template <class Count>
struct shared_page {
  Count ping;
  Count pong;
  std::uint32_t carried = 0;
};

TYPED_TEST(between_processes, wakes_the_sleeper_of_another_process) {
  using page = shared_page<TypeParam>;
  void* const memory =
      ::mmap(nullptr, sizeof(page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  page* const shared = new (memory) page;
  constexpr unsigned rounds = 500;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    for (unsigned n = 0; n != rounds; ++n) {
      shared->ping.wait(n);
      if (shared->carried != n + 1) ::_exit(1);
      shared->pong.increment();
    }
    ::_exit(0);
  }
  for (unsigned n = 0; n != rounds; ++n) {
    shared->carried = n + 1;
    shared->ping.increment();
    shared->pong.wait(n);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  ::munmap(memory, sizeof(page));
}

TYPED_TEST(between_processes, a_waiter_that_is_killed_leaves_the_others_be) {
  using page = shared_page<TypeParam>;
  void* const memory =
      ::mmap(nullptr, sizeof(page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  page* const shared = new (memory) page;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    shared->ping.wait(0);
    ::_exit(0);
  }
  sleep_until_somebody_waits(shared->ping);
  std::thread survivor([&] { EXPECT_EQ(shared->ping.wait(0), 1U); });
  ::kill(child, SIGKILL);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  shared->ping.increment();
  survivor.join();
  EXPECT_FALSE(shared->ping.has_waiters());
  ::munmap(memory, sizeof(page));
}

#ifndef NDEBUG
TEST(event_count_death_test, destroying_it_under_sleepers_is_told) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        alignas(event_count) unsigned char memory[sizeof(event_count)];
        auto* const count = new (memory) event_count;
        std::thread([count] { count->wait(0); }).detach();
        // Flagged is not asleep yet: the thread sleeps at some point of this loop.
        for (;;) {
          sleep_until_somebody_waits(*count);
          std::this_thread::sleep_for(1ms);
          count->~event_count();
          new (memory) event_count;
        }
      },
      "event_count 0x[0-9a-f]+, thread [0-9]+: destroyed while threads sleep on it");
}
#endif

}  // namespace
