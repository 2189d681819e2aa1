// SPDX-License-Identifier: MIT
#include "fencepost/event_mutex.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <thread>
#include <type_traits>
#include <vector>

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
using steady = std::chrono::steady_clock;

constexpr event_mutex_tuning sleepy{.sync_spin_loops = 0, .retries = 1, .catch_misuse = false};
constexpr event_mutex_tuning careful{.catch_misuse = true};
constexpr event_mutex_tuning careless{.catch_misuse = false};

template <class mutex>
class an_event_mutex : public testing::Test {};

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

TYPED_TEST(an_event_mutex, is_given_up_at_the_deadline_and_not_before) {
  TypeParam mutex;
  mutex.lock();
  std::thread([&] {
    const auto deadline = steady::now() + 20ms;
    EXPECT_FALSE(mutex.try_lock_until(deadline));
    EXPECT_GE(steady::now(), deadline);
    const auto on_another_clock = std::chrono::system_clock::now() + 5ms;
    EXPECT_FALSE(mutex.try_lock_until(on_another_clock));
    EXPECT_FALSE(mutex.try_lock_for(5ms));
    EXPECT_FALSE(mutex.try_lock_for(0s));
    EXPECT_FALSE(mutex.try_lock_for(-1h));
  }).join();
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock_for(0s));
  mutex.unlock();
}

TYPED_TEST(an_event_mutex, is_had_before_the_deadline_by_who_waits_for_it) {
  TypeParam mutex;
  mutex.lock();
  std::atomic<bool> begun{false};
  std::thread waiter([&] {
    begun = true;
    EXPECT_TRUE(mutex.try_lock_for(24h));
    mutex.unlock();
    EXPECT_TRUE(mutex.try_lock_until(std::chrono::system_clock::now() + 24h));
    mutex.unlock();
  });
  while (!begun) std::this_thread::yield();
  std::this_thread::sleep_for(1ms);
  mutex.unlock();
  waiter.join();
}

TYPED_TEST(an_event_mutex, loses_no_wake_up_between_waits_with_and_without_a_deadline) {
  TypeParam mutex;
  long counter = 0;
  constexpr long rounds = 2000;
  std::vector<std::thread> threads;
  for (int n = 0; n != 3; ++n) {
    threads.emplace_back([&, n] {
      for (long m = 0; m != rounds; ++m) {
        if (n == 0) {
          mutex.lock();
        } else {
          while (!mutex.try_lock_for(std::chrono::microseconds(m % 64))) continue;
        }
        ++counter;
        mutex.unlock();
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(counter, 3 * rounds);
}

TYPED_TEST(an_event_mutex, is_small_and_zero_when_nobody_uses_it) {
  static constinit TypeParam mutex;
  static_assert(sizeof mutex == 8);
  static_assert(!std::is_copy_constructible_v<TypeParam>);
  static_assert(noexcept(mutex.lock())&& noexcept(mutex.try_lock())&& noexcept(mutex.unlock()));
  const auto* bytes = reinterpret_cast<const unsigned char*>(&mutex);
  for (unsigned n = 0; n != sizeof mutex; ++n) EXPECT_EQ(bytes[n], 0);
}

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

template <class mutex_type>
void two_processes_count() {
  struct shared {
    mutex_type mutex;
    long counter = 0;
  };
  void* const page =
      mmap(nullptr, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  auto& both = *new (page) shared;
  constexpr long rounds = 20000;
  const auto work = [&] {
    for (long n = 0; n != rounds; ++n) {
      const std::lock_guard guard(both.mutex);
      ++both.counter;
    }
  };
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    work();
    _exit(0);
  }
  work();
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(both.counter, 2 * rounds);
  munmap(page, sizeof(shared));
}

TEST(event_mutex, works_between_processes) {
  two_processes_count<interprocess_event_mutex<protocol::seq_cst, sleepy>>();
  two_processes_count<interprocess_event_mutex<protocol::exchange, sleepy>>();
  two_processes_count<interprocess_event_mutex<protocol::interprocess_asymmetric, sleepy>>();
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
