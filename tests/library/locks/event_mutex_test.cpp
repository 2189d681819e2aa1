// SPDX-License-Identifier: MIT
#include "fencepost/event_mutex.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <type_traits>

#include "any_mutex.hpp"
#include "fencepost/protocol/asymmetric.hpp"
#include "fencepost/protocol/exchange.hpp"
#include "fencepost/protocol/lock_exchange.hpp"
#include "fencepost/try_lock/test_and_set.hpp"

namespace {

namespace protocol = fencepost::protocol;
namespace try_lock = fencepost::try_lock;
using fencepost::event_mutex;
using fencepost::event_mutex_tuning;
using fencepost::interprocess_event_mutex;
using namespace std::chrono_literals;

constexpr event_mutex_tuning sleepy{.sync_spin_loops = 0, .retries = 1, .catch_misuse = false};
constexpr event_mutex_tuning careful{.catch_misuse = true};
constexpr event_mutex_tuning careless{.catch_misuse = false};

using all = testing::Types<
    event_mutex<>, event_mutex<protocol::exchange>, event_mutex<protocol::lock_exchange>,
    event_mutex<protocol::asymmetric>, event_mutex<protocol::seq_cst, sleepy>,
    event_mutex<protocol::exchange, sleepy>, event_mutex<protocol::lock_exchange, sleepy>,
    event_mutex<protocol::asymmetric, sleepy>,
    event_mutex<protocol::basic_seq_cst<try_lock::test_and_set>, sleepy>,
    event_mutex<protocol::basic_exchange<try_lock::test_and_set>, sleepy>,
    event_mutex<protocol::basic_exchange<try_lock::compare_exchange_seq_cst>, sleepy>,
    event_mutex<protocol::basic_asymmetric<try_lock::test_and_set>, sleepy>,
    event_mutex<protocol::basic_asymmetric<try_lock::compare_exchange_seq_cst>, sleepy>,
    event_mutex<protocol::seq_cst, careful>, interprocess_event_mutex<protocol::seq_cst, sleepy>,
    interprocess_event_mutex<protocol::interprocess_asymmetric, sleepy>>;
INSTANTIATE_TYPED_TEST_SUITE_P(event_mutex, any_mutex, all);

TEST(event_mutex, needs_no_destruction_where_misuse_is_not_looked_for) {
  EXPECT_TRUE((std::is_trivially_destructible_v<event_mutex<protocol::asymmetric, careless>>));
}

struct notebook : fencepost::unobserved {
  static constexpr bool enabled = true;
  static inline std::atomic<int> contentions, acquisitions, sleeps, naps, surrenders, releases,
      goodbyes;
  static inline std::atomic<unsigned> spins;

  static void contending(const void*) noexcept { ++contentions; }
  static void acquired(const void*, unsigned looks, unsigned asleep) noexcept {
    ++acquisitions;
    spins += looks;
    naps += static_cast<int>(asleep);
  }
  static void gave_up(const void*, unsigned, unsigned) noexcept { ++surrenders; }
  static void sleeping(const void*, const fencepost::futex::word& on,
                       std::uint32_t value) noexcept {
    EXPECT_TRUE(on.load() == value || on.load() == value + 1);
    ++sleeps;
  }
  static void releasing(const void*) noexcept { ++releases; }
  static void woke(const void*, int) noexcept { ++goodbyes; }
};

TEST(event_mutex, tells_its_observer_of_spinning_and_sleep) {
  event_mutex<protocol::seq_cst, event_mutex_tuning{.sync_spin_loops = 3}, notebook> mutex;
  mutex.lock();
  EXPECT_EQ(notebook::acquisitions, 1);
  EXPECT_EQ(notebook::contentions, 0);
  EXPECT_EQ(notebook::spins, 0);
  std::thread waiter([&] {
    EXPECT_FALSE(mutex.try_lock());
    EXPECT_FALSE(mutex.try_lock_for(1ms));
    mutex.lock();
    mutex.unlock();
  });
  // One sleep with a deadline, one without.
  while (notebook::sleeps < 2) std::this_thread::yield();
  mutex.unlock();
  waiter.join();
  EXPECT_EQ(notebook::contentions, 2);
  EXPECT_EQ(notebook::surrenders, 2);
  EXPECT_EQ(notebook::acquisitions, 2);
  EXPECT_GE(notebook::spins, 3U);
  EXPECT_GE(notebook::naps, 1);
  EXPECT_EQ(notebook::releases, 2);
  EXPECT_EQ(notebook::goodbyes, 2);
}

TEST(event_mutex, works_between_processes) {
  mapped_mutex<interprocess_event_mutex<protocol::seq_cst, sleepy>>().two_processes_count();
  mapped_mutex<interprocess_event_mutex<protocol::exchange, sleepy>>().two_processes_count();
  mapped_mutex<interprocess_event_mutex<protocol::interprocess_asymmetric, sleepy>>()
      .two_processes_count();
}

/// As the asymmetric protocol where processes cannot interrupt each other: it loses every wake-up,
/// and says so.
class unreliable {
 public:
  bool try_lock() noexcept { return try_lock::test_and_set::take(lock_word_); }
  [[nodiscard]] bool is_locked() const noexcept { return lock_word_.load(); }
  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    return try_again();
  }
  [[nodiscard]] bool unlock() noexcept {
    lock_word_.store(false);
    return false;
  }
  [[nodiscard]] static bool may_sleep_long() noexcept { return false; }

 private:
  std::atomic<bool> lock_word_{false};
  std::atomic<bool> unused_{false};
};

TEST(event_mutex, is_asked_again_soon_where_no_wake_up_can_be_counted_on) {
  event_mutex<unreliable, sleepy> mutex;
  mutex.lock();
  std::atomic<int> begun{0};
  std::thread one([&] {
    EXPECT_FALSE(mutex.try_lock_for(12ms));
    ++begun;
    mutex.lock();
    mutex.unlock();
  });
  std::thread two([&] {
    ++begun;
    EXPECT_TRUE(mutex.try_lock_for(24h));
    mutex.unlock();
  });
  while (begun != 2) std::this_thread::yield();
  std::this_thread::sleep_for(1ms);
  mutex.unlock();
  one.join();
  two.join();
}

TEST(event_mutex_death, unlock_of_a_mutex_that_is_not_locked_is_caught) {
  event_mutex<protocol::seq_cst, careful> mutex;
  EXPECT_DEATH(mutex.unlock(),
               "fencepost::event_mutex 0x[0-9a-f]+, thread [0-9]+: unlock of a mutex that is not "
               "locked");
}

TEST(event_mutex_death, destruction_of_a_mutex_that_is_locked_is_caught) {
  const auto destroy_locked = [] {
    event_mutex<protocol::exchange, careful> mutex;
    mutex.lock();
  };
  EXPECT_DEATH(destroy_locked(),
               "fencepost::event_mutex 0x[0-9a-f]+, thread [0-9]+: destroyed while it is locked");
}

/// Looks free while a thread sleeps on it: what a thread that destroys it too early comes across.
class looks_free : public protocol::seq_cst {
 public:
  bool try_lock() noexcept { return false; }
};

TEST(event_mutex_death, destruction_of_a_mutex_with_waiters_is_caught) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr event_mutex_tuning tuning{.sync_spin_loops = 0, .catch_misuse = true};
  using mutex_type = event_mutex<looks_free, tuning>;
  const auto destroy_wanted = [] {
    alignas(mutex_type) static unsigned char memory[sizeof(mutex_type)];
    auto* const mutex = new (memory) mutex_type;
    std::thread([mutex] { mutex->lock(); }).detach();
    // In the end the thread sleeps, whatever the machine's pace.
    while (true) {
      std::this_thread::sleep_for(1ms);
      mutex->~mutex_type();
    }
  };
  EXPECT_DEATH(
      destroy_wanted(),
      "fencepost::event_mutex 0x[0-9a-f]+, thread [0-9]+: destroyed while threads wait for it");
}

}  // namespace
