// SPDX-License-Identifier: MIT
//
// What every mutex does, whatever it is made of. A test of one says for which types:
//
//     using all = testing::Types<…>;
//     INSTANTIATE_TYPED_TEST_SUITE_P(spin_mutex, any_mutex, all);
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <thread>
#include <type_traits>
#include <vector>

template <class mutex>
class any_mutex : public testing::Test {};
TYPED_TEST_SUITE_P(any_mutex);

TYPED_TEST_P(any_mutex, is_zero_when_nobody_uses_it_and_cannot_be_copied) {
  static constinit TypeParam mutex;
  static_assert(!std::is_copy_constructible_v<TypeParam>);
  static_assert(noexcept(mutex.lock())&& noexcept(mutex.try_lock())&& noexcept(mutex.unlock()));
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&mutex);
  EXPECT_EQ(std::count(bytes, bytes + sizeof mutex, 0), std::ptrdiff_t{sizeof mutex});
}

TYPED_TEST_P(any_mutex, is_held_by_one_thread_at_a_time) {
  TypeParam mutex;
  long counter = 0;
  constexpr long rounds = 10000;
  std::vector<std::thread> threads;
  for (int n = 0; n != 6; ++n) {
    threads.emplace_back([&] {
      for (long m = 0; m != rounds; ++m) {
        const std::lock_guard guard(mutex);
        ++counter;
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(counter, 6 * rounds);
}

TYPED_TEST_P(any_mutex, can_be_tried) {
  TypeParam mutex;
  EXPECT_TRUE(mutex.try_lock());
  std::thread([&] { EXPECT_FALSE(mutex.try_lock()); }).join();
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TYPED_TEST_P(any_mutex, is_given_up_at_the_deadline_and_not_before) {
  using namespace std::chrono_literals;
  using steady = std::chrono::steady_clock;
  TypeParam mutex;
  mutex.lock();
  std::thread([&] {
    const auto deadline = steady::now() + 20ms;
    EXPECT_FALSE(mutex.try_lock_until(deadline));
    EXPECT_GE(steady::now(), deadline);
    const auto start = steady::now();
    EXPECT_FALSE(mutex.try_lock_for(5ms));
    EXPECT_GE(steady::now() - start, 5ms);
    EXPECT_FALSE(mutex.try_lock_until(std::chrono::system_clock::now() + 1ms));
    EXPECT_FALSE(mutex.try_lock_until(std::chrono::system_clock::now() - 1h));
    EXPECT_FALSE(mutex.try_lock_for(0s));
    EXPECT_FALSE(mutex.try_lock_for(-1h));
  }).join();
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock_for(0s));
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock_for(-1h));
  mutex.unlock();
}

TYPED_TEST_P(any_mutex, is_handed_on_until_all_who_wait_have_had_it) {
  TypeParam mutex;
  mutex.lock();
  std::atomic<int> begun{0};
  std::vector<std::thread> threads;
  for (int n = 0; n != 4; ++n) {
    threads.emplace_back([&] {
      ++begun;
      mutex.lock();
      mutex.unlock();
    });
  }
  while (begun != 4) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  mutex.unlock();
  for (std::thread& one : threads) one.join();
}

TYPED_TEST_P(any_mutex, is_had_before_the_deadline_by_all_who_wait_for_it) {
  using namespace std::chrono_literals;
  using wall = std::chrono::system_clock;
  TypeParam mutex;
  mutex.lock();
  std::atomic<int> begun{0};
  std::vector<std::thread> patient;
  for (int n = 0; n != 4; ++n) {
    patient.emplace_back([&, n] {
      ++begun;
      EXPECT_TRUE(n % 2 != 0 ? mutex.try_lock_for(24h)
                             : mutex.try_lock_until(wall::time_point::max()));
      mutex.unlock();
      EXPECT_TRUE(mutex.try_lock_until(wall::now() + 24h));
      mutex.unlock();
    });
  }
  while (begun != 4) std::this_thread::yield();
  std::this_thread::sleep_for(2ms);
  mutex.unlock();
  for (std::thread& one : patient) one.join();
}

TYPED_TEST_P(any_mutex, is_left_usable_by_those_who_give_up_while_it_changes_hands) {
  TypeParam mutex;
  std::atomic<long> inside{0};
  std::atomic<long> had{0};
  std::vector<std::thread> threads;
  for (int n = 0; n != 6; ++n) {
    threads.emplace_back([&, n] {
      for (int m = 0; m != 300; ++m) {
        if (n % 2 == 0) {
          mutex.lock();
        } else if (!mutex.try_lock_for(std::chrono::microseconds(m % 70))) {
          continue;
        }
        EXPECT_EQ(inside.fetch_add(1), 0);
        if (m % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(20));
        inside.fetch_sub(1);
        ++had;
        mutex.unlock();
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_GE(had, 3 * 300);
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

REGISTER_TYPED_TEST_SUITE_P(any_mutex, is_zero_when_nobody_uses_it_and_cannot_be_copied,
                            is_held_by_one_thread_at_a_time, can_be_tried,
                            is_given_up_at_the_deadline_and_not_before,
                            is_handed_on_until_all_who_wait_have_had_it,
                            is_had_before_the_deadline_by_all_who_wait_for_it,
                            is_left_usable_by_those_who_give_up_while_it_changes_hands);

/// What two processes share: a page with a mutex in it, and a number.
template <class mutex_type>
class mapped_mutex {
 public:
  mapped_mutex() : page_(static_cast<page*>(map())) {
    if (page_ != nullptr) new (page_) page;
  }
  mapped_mutex(const mapped_mutex&) = delete;
  mapped_mutex& operator=(const mapped_mutex&) = delete;
  ~mapped_mutex() {
    if (page_ != nullptr) munmap(page_, sizeof(page));
  }

  mutex_type& mutex() { return page_->mutex; }

  /// Counts under the mutex in two processes.
  void two_processes_count() {
    ASSERT_NE(page_, nullptr);
    constexpr long rounds = 20000;
    const auto count = [this] {
      for (long n = 0; n != rounds; ++n) {
        const std::lock_guard guard(page_->mutex);
        ++page_->counter;
      }
    };
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      count();
      _exit(0);
    }
    count();
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(page_->counter, 2 * rounds);
  }

 private:
  struct page {
    mutex_type mutex;
    long counter = 0;
  };

  static void* map() {
    void* const at =
        mmap(nullptr, sizeof(page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return at != MAP_FAILED ? at : nullptr;
  }

  page* page_;
};
