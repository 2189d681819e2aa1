// SPDX-License-Identifier: MIT
//
// Rings on real threads: small ones, so that everybody waits for everybody.
#include "fencepost/ring.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "run.hpp"

namespace {

using fencepost::ring_status;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::steady_clock;

/// Sleeps at once, for sleeping is what most tests are about.
constexpr fencepost::ring_tuning sleepy{.spins = 0};

struct made {
  unsigned producer;
  long number;
};
using item = std::unique_ptr<made>;

template <class ring>
class a_ring : public testing::Test {};
using rings = testing::Types<fencepost::spsc_ring<item>, fencepost::spsc_ring<item, sleepy>,
                             fencepost::mpmc_ring<item>, fencepost::mpmc_ring<item, sleepy>>;
TYPED_TEST_SUITE(a_ring, rings);

template <class ring>
class a_ring_for_many : public testing::Test {};
using rings_for_many =
    testing::Types<fencepost::mpmc_ring<item>, fencepost::mpmc_ring<item, sleepy>>;
TYPED_TEST_SUITE(a_ring_for_many, rings_for_many);

/// What consumers saw of the producers: each producer's elements once, and to each consumer in
/// order.
class ledger {
 public:
  ledger(unsigned producers, unsigned consumers)
      : last_(consumers, std::vector<long>(producers, -1)), count_(consumers) {}

  void take(unsigned consumer, const item& it) {
    long& last = last_[consumer][it->producer];
    if (it->number <= last) in_order_.store(false, std::memory_order_relaxed);
    last = it->number;
    ++count_[consumer];
    sum_.fetch_add(it->number + 1, std::memory_order_relaxed);
  }

  /// When all is over: whether it was `each` elements of each producer.
  void expect(unsigned producers, long each) const {
    long count = 0;
    for (const long one : count_) count += one;
    EXPECT_TRUE(in_order_.load());
    EXPECT_EQ(count, each * static_cast<long>(producers));
    EXPECT_EQ(sum_.load(), each * (each + 1) / 2 * static_cast<long>(producers));
  }

 private:
  std::vector<std::vector<long>> last_;
  std::vector<long> count_;
  std::atomic<long> sum_{0};
  std::atomic<bool> in_order_{true};
};

/// The last of the producers closes the ring; consumers end when it is empty.
template <class ring, class start>
void pass_on(unsigned producers, unsigned consumers, long each, start run) {
  ring between(2);
  ledger seen(producers, consumers);
  std::atomic<unsigned> busy{producers};
  std::atomic<long> refused{0};
  run(producers + consumers, [&](unsigned n) {
    if (n < producers) {
      for (long number = 0; number != each; ++number) {
        if (!between.push(item(new made{n, number}))) ++refused;
        if ((number + n) % 64 == 0) sched_yield();
      }
      if (busy.fetch_sub(1, std::memory_order_acq_rel) == 1) between.close();
    } else {
      while (const auto it = between.pop()) seen.take(n - producers, *it);
    }
  });
  EXPECT_EQ(refused.load(), 0);
  seen.expect(producers, each);
}

constexpr auto in_peace = [](unsigned n, auto work) { real::together(n, work); };
constexpr auto in_a_storm = [](unsigned n, auto work) { real::together_in_a_storm(n, work); };

TYPED_TEST(a_ring, passes_on_everything_once_and_in_order) {
  const real::failure_bound bound;
  pass_on<TypeParam>(1, 1, real::rounds(20000), in_peace);
}

TYPED_TEST(a_ring, passes_on_everything_in_a_storm_of_signals) {
  const real::failure_bound bound;
  pass_on<TypeParam>(1, 1, real::rounds(10000), in_a_storm);
}

TYPED_TEST(a_ring_for_many, passes_on_everything_in_a_crowd) {
  const real::failure_bound bound;
  const unsigned half = real::crowd() / 2;
  pass_on<TypeParam>(half, half, real::rounds(1500), in_peace);
}

TYPED_TEST(a_ring_for_many, passes_on_everything_to_one_and_from_one) {
  const real::failure_bound bound;
  pass_on<TypeParam>(real::crowd() - 1, 1, real::rounds(500), in_peace);
  pass_on<TypeParam>(1, real::crowd() - 1, real::rounds(5000), in_peace);
}

TYPED_TEST(a_ring_for_many, passes_on_everything_in_a_storm_of_signals) {
  const real::failure_bound bound;
  pass_on<TypeParam>(3, 3, real::rounds(2000), in_a_storm);
}

/// Both sides give up all the time, and try again: an element is neither lost nor doubled.
TYPED_TEST(a_ring, loses_nothing_when_the_time_of_both_sides_is_over) {
  const real::failure_bound bound;
  TypeParam between(2);
  ledger seen(1, 1);
  const long each = real::rounds(2000);
  real::together(2, [&](unsigned n) {
    if (n == 0) {
      for (long number = 0; number != each; ++number) {
        item it(new made{0, number});
        while (!between.push_for(std::move(it), microseconds(number % 40))) ASSERT_NE(it, nullptr);
        if (number % 8 == 0) std::this_thread::sleep_for(microseconds(number % 50));
      }
      between.close();
    } else {
      for (long time = 0;; ++time) {
        item it;
        const ring_status came = between.pop_for(it, microseconds(time % 40));
        if (came == ring_status::closed) break;
        if (came) seen.take(0, it);
      }
    }
  });
  seen.expect(1, each);
}

/// A wake-up that reaches a consumer whose time is over goes on to one that is patient.
TYPED_TEST(a_ring_for_many, wakes_the_patient_when_the_impatient_give_up) {
  const real::failure_bound bound;
  TypeParam between(2);
  ledger seen(1, 6);
  const long each = real::rounds(2000);
  real::together(7, [&](unsigned n) {
    if (n == 0) {
      for (long number = 0; number != each; ++number) {
        ASSERT_TRUE(between.push(item(new made{0, number})));
        if (number % 4 == 0) std::this_thread::sleep_for(microseconds(number % 50));
      }
      between.close();
    } else if (n < 3) {
      while (const auto it = between.pop()) seen.take(n - 1, *it);
    } else {
      for (long time = n;; time += 3) {
        item it;
        const ring_status came = between.pop_for(it, microseconds(time % 40));
        if (came == ring_status::closed) break;
        if (came) seen.take(n - 1, it);
      }
    }
  });
  seen.expect(1, each);
}

TYPED_TEST(a_ring, keeps_its_deadlines_in_a_storm) {
  const real::failure_bound bound;
  TypeParam empty(2);
  TypeParam full(2);
  while (full.try_push(item(new made{0, 0}))) continue;
  std::atomic<long> early{0};
  real::together_in_a_storm(2, [&](unsigned n) {
    for (long round = 0; round != real::rounds(20); ++round) {
      const auto deadline = steady_clock::now() + microseconds(1500);
      item it(n == 0 ? nullptr : new made{0, 1});
      const ring_status came =
          n == 0 ? empty.pop_until(it, deadline) : full.push_until(std::move(it), deadline);
      if (came != ring_status::timed_out || steady_clock::now() < deadline) ++early;
    }
  });
  EXPECT_EQ(early.load(), 0);
}

TYPED_TEST(a_ring, wakes_who_waits_when_it_is_closed) {
  const real::failure_bound bound;
  for (long round = 0; round != real::rounds(200); ++round) {
    TypeParam empty(2);
    TypeParam full(2);
    while (full.try_push(item(new made{0, 0}))) continue;
    real::together(3, [&](unsigned n) {
      item it(new made{0, 1});
      if (n == 0) {
        if (round % 2 == 0) std::this_thread::sleep_for(microseconds(round % 100));
        empty.close();
        full.close();
      } else if (n == 1) {
        EXPECT_EQ(empty.pop(it), ring_status::closed);
      } else {
        EXPECT_EQ(full.push(std::move(it)), ring_status::closed);
        EXPECT_NE(it, nullptr);
      }
    });
  }
}

/// Parent and child have the same elements after fork(), each its own copy of them; who slept in
/// the parent is not there.
TYPED_TEST(a_ring, is_copied_by_fork_with_all_that_is_in_it) {
  const real::failure_bound bound;
  static TypeParam filled(4);
  static TypeParam empty(4);
  for (long number = 0; number != 3; ++number) {
    ASSERT_TRUE(filled.try_push(item(new made{0, number})));
  }
  item last;
  {
    real::sleeper waiting([&] { EXPECT_TRUE(empty.pop(last)); });
    waiting.until_asleep();
    real::process child([] {
      for (long number = 0; number != 3; ++number) {
        const auto it = filled.try_pop();
        if (!it || (*it)->number != number) return 1;
      }
      if (filled.pop_for(microseconds(100))) return 2;
      for (long number = 0; number != 100; ++number) {
        if (!empty.push(item(new made{0, number}))) return 3;
        const auto it = empty.try_pop();
        if (!it || (*it)->number != number) return 4;
      }
      return 0;
    });
    EXPECT_EQ(child.status(), 0);
    EXPECT_EQ(filled.size(), 3U);
    EXPECT_TRUE(empty.push(item(new made{0, 5})));
  }
  EXPECT_EQ(last->number, 5);
}

template <class ring>
struct scene {
  ring empty{2};
  std::atomic<int> waiter{0};
  std::atomic<bool> got{false};
  std::atomic<bool> went_on{false};
};

template <class ring>
void* pop_and_die(void* told) {
  auto& its = *static_cast<scene<ring>*>(told);
  its.waiter.store(gettid());
  {
    item it;
    if (its.empty.pop(it)) its.got.store(true);
  }
  pthread_testcancel();
  its.went_on.store(true);
  return nullptr;
}

TYPED_TEST(a_ring, is_no_cancellation_point) {
  const real::failure_bound bound;
  scene<TypeParam> here;
  pthread_t waiter{};
  ASSERT_EQ(pthread_create(&waiter, nullptr, pop_and_die<TypeParam>, &here), 0);
  while (here.waiter.load() == 0) std::this_thread::yield();
  real::watched(here.waiter.load()).until_asleep();
  ASSERT_EQ(pthread_cancel(waiter), 0);
  EXPECT_FALSE(here.got.load());
  EXPECT_TRUE(here.empty.push(item(new made{0, 0})));
  void* end = nullptr;
  ASSERT_EQ(pthread_join(waiter, &end), 0);
  EXPECT_TRUE(here.got.load());
  EXPECT_FALSE(here.went_on.load());
  EXPECT_EQ(end, PTHREAD_CANCELED);
}

template <class ring>
class a_ring_between_processes : public testing::Test {};
using shared_rings = testing::Types<
    fencepost::interprocess_spsc_ring<made, 2>, fencepost::interprocess_spsc_ring<made, 2, sleepy>,
    fencepost::interprocess_mpmc_ring<made, 2>, fencepost::interprocess_mpmc_ring<made, 2, sleepy>>;
TYPED_TEST_SUITE(a_ring_between_processes, shared_rings);

TYPED_TEST(a_ring_between_processes, passes_on_everything_once_and_in_order) {
  const real::failure_bound bound;
  const real::in_shared_memory<TypeParam> between;
  const long each = real::rounds(5000);
  real::process producer([&] {
    for (long number = 0; number != each; ++number) {
      if (!between->push(made{1, number})) return 1;
    }
    between->close();
    return 0;
  });
  long next = 0;
  while (const auto it = between->pop()) {
    EXPECT_EQ(it->number, next);
    ++next;
  }
  EXPECT_EQ(next, each);
  EXPECT_EQ(producer.status(), 0);
}

/// The one that waits is killed, and another takes its place.
TYPED_TEST(a_ring_between_processes, goes_on_when_one_is_killed_while_it_waits) {
  const real::failure_bound bound;
  const real::in_shared_memory<TypeParam> empty;
  const real::in_shared_memory<TypeParam> full;
  while (full->try_push(made{0, 0})) continue;
  const auto pop = [&] { return empty->pop() ? 0 : 1; };
  const auto push = [&] { return full->push(made{0, 0}) ? 0 : 1; };
  for (long round = 0; round != real::rounds(30); ++round) {
    for (int victims = 0; victims != 2; ++victims) {
      real::process consumer(pop);
      consumer.until_asleep();
      EXPECT_EQ(consumer.kill_now(), -SIGKILL);
      real::process producer(push);
      producer.until_asleep();
      EXPECT_EQ(producer.kill_now(), -SIGKILL);
    }
    real::process consumer(pop);
    consumer.until_asleep();
    EXPECT_TRUE(empty->push(made{0, round}));
    EXPECT_EQ(consumer.status(), 0);
    real::process producer(push);
    producer.until_asleep();
    EXPECT_TRUE(full->pop());
    EXPECT_EQ(producer.status(), 0);
  }
  EXPECT_TRUE(empty->empty());
}

template <class ring>
class a_ring_between_many_processes : public testing::Test {};
using shared_rings_for_many = testing::Types<fencepost::interprocess_mpmc_ring<made, 2>,
                                             fencepost::interprocess_mpmc_ring<made, 2, sleepy>>;
TYPED_TEST_SUITE(a_ring_between_many_processes, shared_rings_for_many);

TYPED_TEST(a_ring_between_many_processes, goes_on_when_one_of_those_who_wait_is_killed) {
  const real::failure_bound bound;
  const real::in_shared_memory<TypeParam> empty;
  const auto pop = [&] { return empty->pop() ? 0 : 1; };
  for (long round = 0; round != real::rounds(50); ++round) {
    real::process first(pop);
    first.until_asleep();
    real::process second(pop);
    second.until_asleep();
    EXPECT_EQ((round % 2 == 0 ? first : second).kill_now(), -SIGKILL);
    EXPECT_TRUE(empty->push(made{0, round}));
    EXPECT_EQ((round % 2 == 0 ? second : first).status(), 0);
  }
  EXPECT_TRUE(empty->empty());
}

}  // namespace
