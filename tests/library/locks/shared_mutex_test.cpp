// SPDX-License-Identifier: MIT
#include "fencepost/shared_mutex.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

template <class Mutex>
class any_shared_mutex : public testing::Test {};
using shared_mutexes =
    testing::Types<fencepost::shared_mutex, fencepost::interprocess_shared_mutex>;
TYPED_TEST_SUITE(any_shared_mutex, shared_mutexes);

template <class Try>
bool in_another_thread(Try tries) {
  bool result = false;
  std::thread([&] { result = tries(); }).join();
  return result;
}

TYPED_TEST(any_shared_mutex, is_had_by_one_or_shared_by_many) {
  static constinit TypeParam mutex;
  const auto tries = [] { return mutex.try_lock() && (mutex.unlock(), true); };
  const auto shares = [] { return mutex.try_lock_shared() && (mutex.unlock_shared(), true); };
  {
    const std::lock_guard in(mutex);
    EXPECT_TRUE(mutex.is_locked());
    EXPECT_FALSE(in_another_thread(tries));
    EXPECT_FALSE(in_another_thread(shares));
  }
  {
    const std::shared_lock in(mutex);
    const std::shared_lock once_more(mutex);
    EXPECT_FALSE(mutex.is_locked());
    EXPECT_FALSE(in_another_thread(tries));
    EXPECT_TRUE(in_another_thread(shares));
  }
  EXPECT_TRUE(in_another_thread(tries));
}

TYPED_TEST(any_shared_mutex, is_given_up_at_the_deadline_and_not_before) {
  TypeParam mutex;
  const auto in_time = [&](auto tries) {
    const auto deadline = steady::now() + 5ms;
    const bool result = in_another_thread([&] { return tries(deadline); });
    EXPECT_GE(steady::now(), deadline);
    return result;
  };
  mutex.lock();
  EXPECT_FALSE(in_time([&](auto deadline) { return mutex.try_lock_until(deadline); }));
  EXPECT_FALSE(in_time([&](auto deadline) { return mutex.try_lock_shared_until(deadline); }));
  EXPECT_FALSE(in_time([&](auto) { return mutex.try_lock_for(5ms); }));
  EXPECT_FALSE(in_time([&](auto) { return mutex.try_lock_shared_for(5ms); }));
  EXPECT_FALSE(in_another_thread([&] { return mutex.try_lock_shared_for(-1h); }));
  EXPECT_FALSE(in_another_thread([&] { return mutex.try_lock_for(0s); }));
  mutex.unlock();
  mutex.lock_shared();
  EXPECT_FALSE(in_time([&](auto deadline) { return mutex.try_lock_until(deadline); }));
  EXPECT_TRUE(mutex.try_lock_shared_until(std::chrono::system_clock::now() - 1h));
  mutex.unlock_shared();
  mutex.unlock_shared();
  EXPECT_TRUE(mutex.try_lock_for(-1h));
  mutex.unlock();
}

TYPED_TEST(any_shared_mutex, is_not_changed_where_a_share_is_given_back_that_is_none) {
  TypeParam mutex;
  mutex.unlock_if_shared();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock_if_shared();
  EXPECT_TRUE(mutex.is_locked());
  mutex.unlock();
  mutex.lock_shared();
  EXPECT_FALSE(mutex.is_full());
  for (int n = 0; n != 2; ++n) mutex.unlock_if_shared();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TYPED_TEST(any_shared_mutex, keeps_writers_from_everybody) {
  TypeParam mutex;
  std::atomic<int> writing{0};
  std::atomic<int> reading{0};
  long plain = 0;
  std::vector<std::thread> threads;
  for (int n = 0; n != 6; ++n) {
    threads.emplace_back([&, n] {
      for (int turn = 0; turn != 1500; ++turn) {
        const bool writes = (n + turn) % 3 == 0;
        if (writes) {
          if (turn % 2 == 0) {
            mutex.lock();
          } else if (!mutex.try_lock_for(std::chrono::microseconds(turn % 50))) {
            continue;
          }
          EXPECT_EQ(writing.fetch_add(1), 0);
          EXPECT_EQ(reading.load(), 0);
          ++plain;
          --writing;
          mutex.unlock();
        } else {
          if (turn % 2 == 0) {
            mutex.lock_shared();
          } else if (!mutex.try_lock_shared_for(std::chrono::microseconds(turn % 50))) {
            continue;
          }
          ++reading;
          EXPECT_EQ(writing.load(), 0);
          EXPECT_GE(plain, 0);
          --reading;
          mutex.unlock_shared();
        }
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TYPED_TEST(any_shared_mutex, is_handed_to_all_who_wait) {
  TypeParam mutex;
  mutex.lock();
  std::atomic<int> begun{0};
  std::vector<std::thread> threads;
  for (int n = 0; n != 6; ++n) {
    threads.emplace_back([&, n] {
      ++begun;
      if (n % 2 == 0) {
        const std::lock_guard in(mutex);
      } else {
        const std::shared_lock in(mutex);
      }
    });
  }
  while (begun != 6) std::this_thread::yield();
  // So that most of them sleep; whether they do decides nothing.
  std::this_thread::sleep_for(5ms);
  mutex.unlock();
  for (std::thread& one : threads) one.join();
}

#ifndef NDEBUG
TEST(shared_mutex, says_when_it_is_misused) {
  fencepost::shared_mutex mutex;
  EXPECT_DEATH(mutex.unlock(), "unlock of a mutex that nobody has alone");
  EXPECT_DEATH(mutex.unlock_shared(), "unlock_shared of a mutex that nobody shares");
}
#endif

}  // namespace
