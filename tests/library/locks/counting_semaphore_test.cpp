// SPDX-License-Identifier: MIT
#include "fencepost/counting_semaphore.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>
#include <new>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;
namespace futex = fencepost::futex;

template <class Semaphore>
class any_semaphore : public testing::Test {};
using semaphores =
    testing::Types<fencepost::counting_semaphore<>, fencepost::counting_semaphore<100>,
                   fencepost::interprocess_counting_semaphore<>>;
TYPED_TEST_SUITE(any_semaphore, semaphores);

TYPED_TEST(any_semaphore, has_as_many_permits_as_were_given) {
  static constinit TypeParam semaphore{2};
  EXPECT_EQ(semaphore.permits(), 2);
  semaphore.acquire();
  EXPECT_TRUE(semaphore.try_acquire());
  EXPECT_FALSE(semaphore.try_acquire());
  EXPECT_FALSE(semaphore.try_acquire_for(-1h));
  semaphore.release(3);
  EXPECT_TRUE(semaphore.try_release());
  EXPECT_EQ(semaphore.permits(), 4);
  for (int n = 0; n != 4; ++n) EXPECT_TRUE(semaphore.try_acquire_for(0s));
  EXPECT_EQ(semaphore.permits(), 0);
}

TYPED_TEST(any_semaphore, has_no_more_than_it_may_have) {
  TypeParam semaphore{TypeParam::max() - 1};
  EXPECT_FALSE(semaphore.try_release(2));
  EXPECT_TRUE(semaphore.try_release());
  EXPECT_FALSE(semaphore.try_release());
  EXPECT_EQ(semaphore.permits(), TypeParam::max());
}

TYPED_TEST(any_semaphore, is_not_changed_by_a_number_of_permits_that_cannot_be) {
  TypeParam semaphore{1};
  constexpr auto most = std::numeric_limits<std::ptrdiff_t>::max();
  for (const std::ptrdiff_t permits : {std::ptrdiff_t{-1}, std::ptrdiff_t{-10}, -most, -most - 1,
                                       most, most - 1, TypeParam::max()}) {
    EXPECT_FALSE(semaphore.try_release(permits));
    EXPECT_EQ(semaphore.permits(), 1);
  }
  EXPECT_TRUE(semaphore.try_release(0));
  EXPECT_EQ(semaphore.permits(), 1);
}

TEST(binary_semaphore, has_one_permit_at_most) {
  fencepost::binary_semaphore semaphore{1};
  EXPECT_EQ(semaphore.max(), 1);
  EXPECT_FALSE(semaphore.try_release());
  semaphore.acquire();
  EXPECT_TRUE(semaphore.try_release());
}

TYPED_TEST(any_semaphore, is_given_up_at_the_deadline_and_not_before) {
  TypeParam semaphore{0};
  const auto deadline = steady::now() + 5ms;
  EXPECT_FALSE(semaphore.try_acquire_until(deadline));
  EXPECT_GE(steady::now(), deadline);
  const auto other_deadline = std::chrono::system_clock::now() + 5ms;
  EXPECT_FALSE(semaphore.try_acquire_until(other_deadline));
  EXPECT_GE(std::chrono::system_clock::now(), other_deadline);
  EXPECT_FALSE(semaphore.try_acquire_for(1ms));
  semaphore.release();
  EXPECT_TRUE(semaphore.try_acquire_until(steady::now() - 1h));
}

TYPED_TEST(any_semaphore, lets_in_as_many_as_it_has_permits) {
  TypeParam semaphore{2};
  std::atomic<int> inside{0};
  std::atomic<int> entered{0};
  std::vector<std::thread> threads;
  for (int n = 0; n != 6; ++n) {
    threads.emplace_back([&, n] {
      for (int turn = 0; turn != 2000; ++turn) {
        switch ((n + turn) % 3) {
          case 0:
            semaphore.acquire();
            break;
          case 1:
            if (!semaphore.try_acquire_for(std::chrono::microseconds(turn % 50))) continue;
            break;
          default:
            if (!semaphore.try_acquire()) continue;
        }
        EXPECT_LE(++inside, 2);
        ++entered;
        --inside;
        semaphore.release();
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_GE(entered, 4000);
  EXPECT_EQ(semaphore.permits(), 2);
}

TYPED_TEST(any_semaphore, wakes_as_many_as_it_is_given_permits) {
  TypeParam semaphore{0};
  std::atomic<int> begun{0};
  std::vector<std::thread> threads;
  for (int n = 0; n != 6; ++n) {
    threads.emplace_back([&] {
      ++begun;
      semaphore.acquire();
    });
  }
  while (begun != 6) std::this_thread::yield();
  // So that most of them sleep; whether they do decides nothing.
  std::this_thread::sleep_for(5ms);
  semaphore.release(4);
  semaphore.release();
  EXPECT_TRUE(semaphore.try_release());
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(semaphore.permits(), 0);
}

/// glibc bug 12674: the permit may be the sign that nobody needs the semaphore any more.
TYPED_TEST(any_semaphore, is_not_touched_once_its_permit_is_taken) {
  constexpr int rounds = 2000;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<std::atomic<TypeParam*>> handed(rounds);
  std::thread giver([&] {
    for (int round = 0; round != rounds; ++round) {
      TypeParam* done = nullptr;
      while ((done = handed[round].load()) == nullptr) std::this_thread::yield();
      if (round % 2 == 0) {
        done->release();
      } else {
        EXPECT_TRUE(done->try_release());
      }
    }
  });
  for (int round = 0; round != rounds; ++round) {
    void* const memory =
        ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    auto* const done = new (memory) TypeParam{0};
    handed[round] = done;
    done->acquire();
    ::munmap(memory, page);
  }
  giver.join();
}

TYPED_TEST(any_semaphore, can_be_waited_for_in_a_way_of_ones_own) {
  TypeParam semaphore{0};
  for (const auto end : {futex::outcome::timed_out, futex::outcome::interrupted}) {
    EXPECT_FALSE(semaphore.acquire_by([&](const futex::word&, std::uint32_t expected) {
      EXPECT_EQ(expected, 0U);
      return end;
    }));
    // It came as the wait ended.
    const bool in_time = end == futex::outcome::timed_out;
    EXPECT_EQ(semaphore.acquire_by([&](const futex::word&, std::uint32_t) {
      semaphore.release();
      return end;
    }),
              in_time);
    EXPECT_EQ(semaphore.permits(), in_time ? 0 : 1);
    EXPECT_EQ(semaphore.try_acquire(), !in_time);
  }
  int sleeps = 0;
  EXPECT_TRUE(semaphore.acquire_by([&](const futex::word&, std::uint32_t) {
    if (++sleeps == 2) semaphore.release();
    return futex::outcome::woken;
  }));
  EXPECT_EQ(sleeps, 2);
}

TYPED_TEST(any_semaphore, is_left_as_it_was_by_who_is_cancelled) {
  struct cancelled {};
  TypeParam semaphore{0};
  EXPECT_THROW(static_cast<void>(semaphore.acquire_by(
                   [](const futex::word&, std::uint32_t) -> futex::outcome { throw cancelled(); })),
               cancelled);
  semaphore.release();
  semaphore.abandon();
  EXPECT_EQ(semaphore.permits(), 1);
  semaphore.acquire();
  EXPECT_EQ(semaphore.permits(), 0);
}

fencepost::counting_semaphore<> given_by_handlers{0};

TEST(counting_semaphore, is_released_by_signal_handlers) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) { given_by_handlers.release(); };
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  constexpr int signals = 1000;
  std::thread waits([] {
    for (int n = 0; n != signals; ++n) given_by_handlers.acquire();
  });
  for (int n = 0; n != signals; ++n) ASSERT_EQ(raise(SIGUSR1), 0);
  waits.join();
  EXPECT_EQ(given_by_handlers.permits(), 0);
  ASSERT_EQ(sigaction(SIGUSR1, &before, nullptr), 0);
}

#ifndef NDEBUG
TEST(counting_semaphore, says_when_it_is_misused) {
  fencepost::binary_semaphore semaphore{1};
  EXPECT_DEATH(semaphore.release(), "more permits than there may be");
}
#endif

}  // namespace
