// SPDX-License-Identifier: MIT
// Arguments from the ends of their ranges; deadlines_test.cpp has those of times.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "fencepost/asymmetric_fence.hpp"
#include "fencepost/concurrent_hash_map.hpp"
#include "fencepost/counting_semaphore.hpp"
#include "fencepost/diagnostics.hpp"
#include "fencepost/event_count.hpp"
#include "fencepost/futex.hpp"
#include "fencepost/hazard_pointer.hpp"
#include "fencepost/rcu.hpp"
#include "fencepost/ring.hpp"
#include "fencepost/shared_mutex.hpp"
#include "fencepost/srcu.hpp"

namespace {

using fencepost::ring_status;
using namespace std::chrono_literals;

constexpr auto endless = std::numeric_limits<std::size_t>::max();

// ---- Rings.

struct large {
  std::byte bytes[64];
};

template <class Ring>
struct ring_of : testing::Test {};
using rings = testing::Types<fencepost::spsc_ring<large>, fencepost::mpmc_ring<large>>;
TYPED_TEST_SUITE(ring_of, rings);

TYPED_TEST(ring_of, a_size_that_cannot_be_is_refused) {
  for (const std::size_t capacity :
       {std::size_t{0}, endless, endless / 2 + 1, endless / 8, fencepost::detail::most_cells + 1}) {
    EXPECT_THROW(TypeParam ring(capacity), std::length_error) << capacity;
  }
  // That many elements could be told apart, and are more than there is memory.
  EXPECT_THROW(TypeParam ring(fencepost::detail::most_cells), std::bad_alloc);
}

TYPED_TEST(ring_of, a_size_that_can_be_holds_so_many) {
  for (std::size_t capacity = 1; capacity != 70; ++capacity) {
    TypeParam ring(capacity);
    EXPECT_GE(ring.capacity(), capacity);
    for (int round = 0; round != 3; ++round) {
      for (std::size_t n = 0; n != ring.capacity(); ++n) {
        ASSERT_EQ(ring.try_push({}), ring_status::success);
      }
      ASSERT_EQ(ring.try_push({}), ring_status::full);
      ASSERT_EQ(ring.size(), ring.capacity());
      while (ring.try_pop().has_value()) continue;
      ASSERT_TRUE(ring.empty());
    }
  }
}

// ---- The hash map.

TEST(concurrent_hash_map, that_cannot_be_so_large_stays_as_it_is) {
  using map = fencepost::concurrent_hash_map<int, int>;
  map one;
  for (int n = 0; n != 100; ++n) one.insert({n, -n});
  for (const std::size_t elements : {endless, endless - 1, endless / 2, endless >> 4}) {
    EXPECT_THROW(map large(elements), std::bad_alloc);
    EXPECT_THROW(one.reserve(elements), std::bad_alloc);
    EXPECT_THROW(one.rehash(elements), std::bad_alloc);
    EXPECT_EQ(one.size(), 100U);
    EXPECT_EQ(one.find(99), -99);
  }
  one.reserve(0);
  one.rehash(0);
  EXPECT_EQ(one.find(99), -99);
}

// ---- Semaphores and shared mutexes.

constexpr fencepost::semaphore_tuning watched{.catch_misuse = true};
using watched_semaphore =
    fencepost::basic_counting_semaphore<10, fencepost::futex::scope::process, watched>;

TEST(counting_semaphore, with_permits_that_cannot_be_ends_the_program) {
  for (const std::ptrdiff_t permits : {std::ptrdiff_t{-1}, std::ptrdiff_t{11}, PTRDIFF_MIN,
                                       PTRDIFF_MAX, std::ptrdiff_t{1} << 32}) {
    EXPECT_DEATH(watched_semaphore semaphore(permits),
                 "counting_semaphore 0x.*made with fewer permits than none, or too many");
  }
  constinit static watched_semaphore all(10);
  EXPECT_EQ(all.permits(), 10);
}

TEST(counting_semaphore, given_permits_that_cannot_be_ends_the_program) {
  for (const std::ptrdiff_t permits :
       {std::ptrdiff_t{-1}, std::ptrdiff_t{10}, PTRDIFF_MIN, PTRDIFF_MAX, PTRDIFF_MAX - 1}) {
    watched_semaphore semaphore(1);
    EXPECT_DEATH(semaphore.release(permits),
                 "counting_semaphore 0x.*more permits than there may be");
  }
}

TEST(counting_semaphore, gives_and_takes_as_many_as_there_may_be) {
  using semaphore = fencepost::counting_semaphore<>;
  semaphore one(semaphore::max());
  EXPECT_FALSE(one.try_release());
  EXPECT_TRUE(one.try_acquire());
  EXPECT_TRUE(one.try_release());
  semaphore other(0);
  other.release(semaphore::max());
  EXPECT_EQ(other.permits(), semaphore::max());
  EXPECT_TRUE(other.try_acquire());
}

template <class Mutex>
void have_as_many_readers_as_there_can_be(Mutex& mutex) {
  // Half a billion calls take their time.
  const std::uint32_t readers = (std::uint32_t{1} << 29) - 1;
  static_assert(sizeof mutex == sizeof readers);
  std::memcpy(static_cast<void*>(&mutex), &readers, sizeof readers);
}

TEST(shared_mutex, that_no_further_reader_can_have_keeps_to_deadlines) {
  fencepost::shared_mutex mutex;
  have_as_many_readers_as_there_can_be(mutex);
  EXPECT_FALSE(mutex.try_lock_shared());
  EXPECT_FALSE(mutex.try_lock_shared_for(1ms));
  EXPECT_FALSE(mutex.try_lock_shared_until(std::chrono::system_clock::now() + 1ms));
  EXPECT_FALSE(mutex.try_lock_until(std::chrono::steady_clock::time_point::min()));
  mutex.unlock_shared();
  EXPECT_TRUE(mutex.try_lock_shared_for(1ms));
}

// ---- The futex.

TEST(futex, nobody_is_woken_where_no_number_of_threads_is_to_be) {
  fencepost::futex::word word{0};
  std::atomic<int> woken{0};
  std::thread sleeper([&] {
    while (word.load() == 0) {
      fencepost::futex::wait(word, 0);
      ++woken;
    }
  });
  // Who was woken once goes to sleep again at once, and mostly is asleep when it is tried.
  for (int round = 0; round != 100; ++round) {
    while (fencepost::futex::wake_one(word) == 0) std::this_thread::yield();
    while (woken.load() <= round) std::this_thread::yield();
    for (const int count : {0, -1, INT_MIN}) EXPECT_EQ(fencepost::futex::wake(word, count), 0);
  }
  word.store(1);
  fencepost::futex::wake_all(word);
  sleeper.join();
}

TEST(futex, a_nap_of_no_length_or_a_negative_one_ends) {
  const fencepost::futex::word word{0};
  for (const long milliseconds : {0L, -1L, LONG_MIN}) fencepost::futex::nap(word, 0, milliseconds);
}

// ---- Reclamation.

struct counted : fencepost::hazard_pointer_obj_base<counted> {
  explicit counted(int& all) : count(all) {}
  ~counted() { ++count; }
  int& count;
};

TEST(hazard_pointer, garbage_may_be_limited_by_any_number) {
  int reclaimed = 0;
  fencepost::hazard_pointer_clean_up();
  fencepost::hazard_pointer_garbage_limit(endless);
  for (int n = 0; n != 5000; ++n) (new counted(reclaimed))->retire();
  EXPECT_EQ(reclaimed, 0);
  fencepost::hazard_pointer_clean_up();
  EXPECT_EQ(reclaimed, 5000);
  fencepost::hazard_pointer_garbage_limit(0);
  for (int n = 0; n != 5000; ++n) (new counted(reclaimed))->retire();
  EXPECT_GT(reclaimed, 9000);
  fencepost::hazard_pointer_clean_up();
  EXPECT_EQ(reclaimed, 10'000);
  fencepost::hazard_pointer_garbage_limit(1000);
}

template <class Domain>
struct domain : testing::Test {};
using domains = testing::Types<fencepost::rcu_domain, fencepost::srcu_domain>;
TYPED_TEST_SUITE(domain, domains);

TYPED_TEST(domain, batches_may_be_of_any_size) {
  int reclaimed = 0;
  const auto count = [&reclaimed](int* one) {
    ++reclaimed;
    delete one;
  };
  TypeParam own(nullptr);
  fencepost::rcu_batch_size(endless, own);
  for (int n = 0; n != 5000; ++n) fencepost::rcu_retire(new int(n), count, own);
  EXPECT_EQ(reclaimed, 0);
  fencepost::rcu_barrier(own);
  EXPECT_EQ(reclaimed, 5000);
  fencepost::rcu_batch_size(0, own);
  for (int n = 0; n != 5000; ++n) fencepost::rcu_retire(new int(n), count, own);
  EXPECT_GT(reclaimed, 9000);
  fencepost::rcu_barrier(own);
  EXPECT_EQ(reclaimed, 10'000);
}

TEST(rcu_domain, of_which_there_are_eight_already_is_refused) {
  std::vector<std::unique_ptr<fencepost::rcu_domain>> all;
  for (int n = 0; n != 7; ++n) all.push_back(std::make_unique<fencepost::rcu_domain>());
  EXPECT_THROW(fencepost::rcu_domain one, std::bad_alloc);
  all.pop_back();
  all.push_back(std::make_unique<fencepost::rcu_domain>());
}

// ---- Event counts, whose versions and flags come round.

template <class Count>
struct count_of : testing::Test {};
using counts =
    testing::Types<fencepost::event_count, fencepost::event_count64,
                   fencepost::single_producer_event_count, fencepost::single_producer_event_count64,
                   fencepost::two_word_event_count, fencepost::two_word_event_count64,
                   fencepost::interprocess_two_word_event_count,
                   fencepost::interprocess_single_producer_event_count64>;
TYPED_TEST_SUITE(count_of, counts);

TYPED_TEST(count_of, a_waiter_is_woken_by_the_version_behind_the_last) {
  constexpr auto last = TypeParam::last_version;
  for (int round = 0; round != 20; ++round) {
    TypeParam count(last);
    std::thread waiter([&] { EXPECT_EQ(count.wait(last), 0U); });
    while (round % 2 == 0 && !count.has_waiters()) std::this_thread::yield();
    count.increment();
    waiter.join();
    EXPECT_EQ(count.value(), 0U);
  }
  TypeParam count(last - 1);
  EXPECT_EQ(count.add(last), last - 1);
  EXPECT_EQ(count.value(), last - 2);
  EXPECT_EQ(count.add(0), last - 2);
  // No version is that, so nobody waits for it to change.
  if constexpr (last != std::numeric_limits<typename TypeParam::version_type>::max()) {
    EXPECT_EQ(count.wait(last + 1), last - 2);
  }
}

// ---- Fences.

TEST(asymmetric_fence, a_strategy_that_is_none_is_not_put_in_force) {
  const auto before = fencepost::asymmetric_fence_strategy();
  for (const int number : {4, 5, 7, 100, 255}) {
    const auto strategy = static_cast<fencepost::asymmetric_strategy>(number);
    EXPECT_FALSE(fencepost::use_asymmetric_fence_strategy(strategy)) << number;
    EXPECT_NE(asymmetric_fence_strategy_name(strategy), nullptr);
    EXPECT_EQ(number > 6, asymmetric_fence_strategy_name(strategy) == std::string("unknown"));
  }
  EXPECT_EQ(fencepost::asymmetric_fence_strategy(), before);
}

// ---- Diagnostics.

TEST(watchdog, looks_at_intervals_of_any_length_and_ends) {
  using fencepost::diagnostics::watchdog;
  using std::chrono::nanoseconds;
  for (const nanoseconds interval : {nanoseconds::max(), nanoseconds::min(), nanoseconds(0)}) {
    for (const nanoseconds wait : {nanoseconds::max(), nanoseconds::min()}) {
      watchdog one({interval, wait}, [](const std::string&) {});
      one.look();
      std::this_thread::sleep_for(2ms);
    }
  }
}

}  // namespace
