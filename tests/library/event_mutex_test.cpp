// SPDX-License-Identifier: MIT
#include "fencepost/event_mutex.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

#include "fencepost/protocol/exchange.hpp"
#include "fencepost/protocol/exchange_acq_rel.hpp"
#include "fencepost/protocol/lock_exchange.hpp"

namespace {

namespace protocol = fencepost::protocol;
using fencepost::event_mutex;
using fencepost::event_mutex_tuning;

constexpr event_mutex_tuning sleepy{.spin_rounds = 0, .retries = 1, .catch_misuse = false};

template <class mutex>
class an_event_mutex : public testing::Test {};

using all =
    testing::Types<event_mutex<>, event_mutex<protocol::exchange>,
                   event_mutex<protocol::exchange_acq_rel>, event_mutex<protocol::lock_exchange>,
                   event_mutex<protocol::seq_cst, sleepy>, event_mutex<protocol::exchange, sleepy>,
                   event_mutex<protocol::exchange_acq_rel, sleepy>,
                   event_mutex<protocol::lock_exchange, sleepy>>;
TYPED_TEST_SUITE(an_event_mutex, all);

TYPED_TEST(an_event_mutex, is_held_by_one_thread_at_a_time) {
  TypeParam mutex;
  long counter = 0;
  constexpr long rounds = 20000;
  std::vector<std::thread> threads;
  for (int n = 0; n != 3; ++n) {
    threads.emplace_back([&] {
      for (long m = 0; m != rounds; ++m) {
        const std::lock_guard guard(mutex);
        ++counter;
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(counter, 3 * rounds);
}

TYPED_TEST(an_event_mutex, can_be_tried) {
  TypeParam mutex;
  EXPECT_TRUE(mutex.try_lock());
  std::thread([&] { EXPECT_FALSE(mutex.try_lock()); }).join();
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TYPED_TEST(an_event_mutex, is_handed_over_to_who_waits) {
  TypeParam mutex;
  mutex.lock();
  std::thread waiter([&] {
    mutex.lock();
    mutex.unlock();
  });
  mutex.unlock();
  waiter.join();
}

TEST(event_mutex_death, unlock_of_a_mutex_that_is_not_locked_is_caught) {
  constexpr event_mutex_tuning careful{.catch_misuse = true};
  event_mutex<protocol::seq_cst, careful> mutex;
  EXPECT_DEATH(mutex.unlock(), "unlock of a mutex that is not locked");
}

}  // namespace
