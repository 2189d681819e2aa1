// SPDX-License-Identifier: MIT
#include "fencepost/rcu.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>

namespace {

using fencepost::rcu_barrier;
using fencepost::rcu_batch_size;
using fencepost::rcu_default_domain;
using fencepost::rcu_domain;
using fencepost::rcu_region;
using fencepost::rcu_retire;
using fencepost::rcu_synchronize;

// Objects are then reclaimed as soon as there is a batch of them, whatever runs on this machine.
const int without_a_clock = ::setenv("FENCEPOST_INTERRUPT_CLOCK", "/nonexistent", 1);

int alive = 0;

struct node : fencepost::rcu_obj_base<node> {
  explicit node(node* after = nullptr) : next(after) { ++alive; }
  ~node() {
    --alive;
    if (next != nullptr) next->retire();
  }
  node* next;
};

class rcu : public testing::Test {
 protected:
  ~rcu() override {
    rcu_batch_size(1000);
    rcu_barrier();
    EXPECT_EQ(alive, 0);
  }
};

TEST_F(rcu, keeps_what_is_retired_until_the_region_is_closed) {
  rcu_batch_size(1);
  {
    const std::scoped_lock reading(rcu_default_domain());
    (new node)->retire();
    (new node)->retire();
    EXPECT_EQ(alive, 2);
  }
  EXPECT_EQ(alive, 2);
  (new node)->retire();
  EXPECT_EQ(alive, 0);
}

TEST_F(rcu, reclaims_what_is_due_though_somebody_is_in_a_later_region) {
  rcu_batch_size(1);
  auto& domain = rcu_default_domain();
  domain.lock();
  (new node)->retire();
  domain.unlock();
  domain.lock();
  (new node)->retire();
  EXPECT_EQ(alive, 1);
  domain.unlock();
}

TEST_F(rcu, protects_until_the_outermost_region_is_closed) {
  rcu_batch_size(1);
  auto& domain = rcu_default_domain();
  domain.lock();
  EXPECT_TRUE(domain.try_lock());
  domain.unlock();
  (new node)->retire();
  EXPECT_EQ(alive, 1);
  domain.unlock();
}

TEST_F(rcu, regions_of_blocks_lie_in_others_of_either_kind) {
  rcu_batch_size(1);
  rcu_domain other;
  {
    const rcu_region outer;
    {
      const std::scoped_lock inner(rcu_default_domain());
      const rcu_region innermost;
      const rcu_region elsewhere(other);
      (new node)->retire();
      (new node)->retire(std::default_delete<node>(), other);
    }
    rcu_barrier(other);
    EXPECT_EQ(alive, 1);
  }
  rcu_barrier();
  EXPECT_EQ(alive, 0);
  {
    const std::scoped_lock outer(rcu_default_domain());
    { const rcu_region inner; }
    (new node)->retire();
    EXPECT_EQ(alive, 1);
  }
}

TEST_F(rcu, reclaims_at_once_what_nobody_reads_when_a_batch_is_full) {
  rcu_batch_size(10);
  for (int n = 1; n != 10; ++n) {
    (new node)->retire();
    EXPECT_EQ(alive, n);
  }
  (new node)->retire();
  EXPECT_EQ(alive, 0);
}

TEST_F(rcu, waits_for_nobody_where_nobody_reads) {
  rcu_synchronize();
  rcu_barrier();
  (new node)->retire();
  rcu_barrier();
  EXPECT_EQ(alive, 0);
}

TEST_F(rcu, calls_the_deleter_that_was_given_and_lets_go_of_it) {
  const auto count = std::make_shared<int>(0);
  int object = 5;
  rcu_retire(&object, [count](int* it) { *count += *it; });
  EXPECT_EQ(count.use_count(), 2);
  rcu_barrier();
  EXPECT_EQ(*count, 5);
  EXPECT_EQ(count.use_count(), 1);
  rcu_retire(new int(3));
  rcu_barrier();
}

TEST_F(rcu, reclaims_a_list_of_any_length_from_its_destructors) {
  rcu_batch_size(1);
  node* first = nullptr;
  for (int n = 0; n != 100'000; ++n) first = new node(first);
  first->retire();
  EXPECT_EQ(alive, 0);
}

TEST_F(rcu, may_be_used_in_a_deleter) {
  rcu_domain other;
  rcu_retire(&other, [](rcu_domain* domain) {
    const std::scoped_lock reading(rcu_default_domain(), *domain);
    (new node)->retire(std::default_delete<node>(), *domain);
  });
  rcu_barrier();
  EXPECT_EQ(alive, 1);
  rcu_barrier(other);
  EXPECT_EQ(alive, 0);
}

/// Whether `wait` returns in a thread that was cancelled before, and has a reader to wait for.
bool returns_though_cancelled(void (*wait)()) {
  struct state {
    void (*wait)();
    std::atomic<bool> waits{false};
    std::atomic<bool> returned{false};
  } of{wait};
  std::atomic<bool> reads{false};
  std::thread reader([&] {
    const rcu_region region;
    reads = true;
    while (!of.waits) std::this_thread::yield();
    // Most likely asleep by then; the result is the same if not.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  while (!reads) std::this_thread::yield();
  pthread_t thread{};
  const auto work = [](void* in) -> void* {
    auto& its = *static_cast<state*>(in);
    pthread_cancel(pthread_self());
    its.waits = true;
    its.wait();
    its.returned = true;
    pthread_testcancel();
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, nullptr, work, &of), 0);
  void* result = nullptr;
  EXPECT_EQ(pthread_join(thread, &result), 0);
  reader.join();
  return of.returned && result == PTHREAD_CANCELED;
}

TEST_F(rcu, who_waits_for_readers_is_not_cancelled) {
  EXPECT_TRUE(returns_though_cancelled([] { rcu_synchronize(); }));
  EXPECT_TRUE(returns_though_cancelled([] {
    (new node)->retire();
    rcu_barrier();
  }));
}

TEST_F(rcu, domains_do_not_wait_for_each_others_readers) {
  rcu_domain other;
  const std::scoped_lock reading(rcu_default_domain());
  rcu_synchronize(other);
  (new node)->retire(std::default_delete<node>(), other);
  rcu_barrier(other);
  EXPECT_EQ(alive, 0);
}

TEST_F(rcu, a_domain_reclaims_everything_before_it_is_gone) {
  {
    rcu_domain other;
    (new node(new node))->retire(std::default_delete<node>(), other);
    rcu_retire(new node, std::default_delete<node>(), other);
  }
  rcu_barrier();  // of the second, which its destructor retired to the default domain
  EXPECT_EQ(alive, 0);
}

TEST_F(rcu, there_are_so_many_domains_and_no_more_and_their_places_are_used_again) {
  for (int round = 0; round != 3; ++round) {
    std::optional<rcu_domain> others[fencepost::rcu::most_domains - 1];
    for (auto& one : others) one.emplace();
    EXPECT_THROW(rcu_domain(), std::bad_alloc);
    const std::scoped_lock reading(*others[2]);
    rcu_synchronize(*others[3]);
  }
}

TEST_F(rcu, threads_that_exit_are_forgotten) {
  const auto read = [] { const std::scoped_lock reading(rcu_default_domain()); };
  read();
  const std::size_t before = fencepost::rcu::readers.count();
  std::size_t inside = 0;
  for (int n = 0; n != 20; ++n) {
    std::thread([&] {
      read();
      inside = fencepost::rcu::readers.count();
    }).join();
    EXPECT_EQ(inside, before + 1);
    EXPECT_EQ(fencepost::rcu::readers.count(), before);
  }
}

/// Reads while its thread exits.
struct last_reader {
  ~last_reader() { read(); }
  static void read() {
    rcu_barrier();
    const int before = alive;
    {
      const std::scoped_lock reading(rcu_default_domain());
      (new node)->retire();
      EXPECT_EQ(alive, before + 1);
      rcu_batch_size(1);
      (new node)->retire();
      EXPECT_EQ(alive, before + 2);
      rcu_batch_size(1000);
    }
    const rcu_region again;
  }
};

TEST_F(rcu, protects_a_thread_that_exits_to_its_end) {
  const std::size_t before = fencepost::rcu::readers.count();
  std::thread([] {
    static thread_local const last_reader last;
    static_cast<void>(&last);
    const std::scoped_lock reading(rcu_default_domain());
  }).join();
  rcu_barrier();
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(fencepost::rcu::readers.count(), before);
}

/// Runs `what` in a thread, in the destructor of a key in each of the rounds that there are, after
/// the thread has been taken out of the list of readers.
void in_every_round_of_destructors(void (*what)()) {
  struct round {
    void (*what)();
    pthread_key_t key;
    int count;
    static void end(void* of) {
      auto& now = *static_cast<round*>(of);
      now.what();
      if (++now.count != PTHREAD_DESTRUCTOR_ITERATIONS) pthread_setspecific(now.key, of);
    }
  } rounds{what, {}, 0};
  ASSERT_EQ(pthread_key_create(&rounds.key, round::end), 0);
  std::thread([&] {
    pthread_setspecific(rounds.key, &rounds);
    const rcu_region reading;
  }).join();
  pthread_key_delete(rounds.key);
  EXPECT_EQ(rounds.count, PTHREAD_DESTRUCTOR_ITERATIONS);
}

TEST_F(rcu, protects_in_destructors_that_come_after_it_has_left) {
  const std::size_t before = fencepost::rcu::readers.count();
  in_every_round_of_destructors(last_reader::read);
  rcu_barrier();
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(fencepost::rcu::readers.count(), before);
}

// After the last round of destructors nobody is told any more that the thread has ended.
TEST_F(rcu, a_thread_that_exits_is_a_reader_while_it_is_in_a_region_of_any_domain) {
  static rcu_domain other;
  static std::size_t before;
  before = fencepost::rcu::readers.count();
  in_every_round_of_destructors([] {
    EXPECT_EQ(fencepost::rcu::readers.count(), before);
    other.lock();
    other.lock();
    rcu_default_domain().lock();
    other.unlock();
    other.unlock();
    EXPECT_EQ(fencepost::rcu::readers.count(), before + 1);
    rcu_synchronize(other);
    {
      const rcu_region inner;
      const rcu_region of_the_other(other);
    }
    rcu_default_domain().unlock();
    EXPECT_EQ(fencepost::rcu::readers.count(), before);
    rcu_synchronize();
  });
  EXPECT_EQ(fencepost::rcu::readers.count(), before);
}

TEST_F(rcu, exiting_within_a_region_that_a_destructor_has_opened_ends_the_program) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(in_every_round_of_destructors([] {
                 static bool is_open;
                 if (!std::exchange(is_open, true)) rcu_default_domain().lock();
               }),
               "rcu_domain 0x.*a thread exits within a region");
}

/// A clock of two processors that the test winds, and a domain that takes its tickets by it.
class rcu_by_tickets : public rcu {
 protected:
  void SetUp() override {
    const auto strategy = fencepost::asymmetric_fence_strategy();
    if (!fencepost::light_fence_is_free(strategy)) GTEST_SKIP() << "tickets are ready at once here";
    lines_[0].header.slots = 3;
    rcu_batch_size(batch, domain_);
  }

  static constexpr int batch = 16;
  void retire(int objects) {
    for (int n = 0; n != objects; ++n) (new node)->retire({}, domain_);
  }
  /// All processors have had an interrupt.
  void stamp() {
    for (int cpu = 0; cpu != 3; ++cpu) {
      __atomic_store_n(&lines_[fencepost_clock_first_slot + cpu].slot.stamp, std::uint64_t{1} << 62,
                       __ATOMIC_RELEASE);
    }
  }

  alignas(64) fencepost_clock_line lines_[fencepost_clock_first_slot + 3]{};
  rcu_domain domain_{reinterpret_cast<const fencepost::interrupt_clock*>(&lines_[0])};
};

TEST_F(rcu_by_tickets, reclaims_when_every_processor_was_interrupted) {
  retire(batch);
  EXPECT_EQ(alive, batch);
  retire(batch);
  EXPECT_EQ(alive, 2 * batch);
  stamp();
  retire(batch / 8);
  EXPECT_EQ(alive, 0)
      << "the second batch's ticket is of this moment, and the clock's stamps later";
}

TEST_F(rcu_by_tickets, waits_for_readers_once_the_ticket_is_ready) {
  {
    const rcu_region reading(domain_);
    retire(batch);
    stamp();
    retire(batch);
    EXPECT_EQ(alive, 2 * batch);
  }
  retire(batch);
  EXPECT_EQ(alive, 0);
}

TEST_F(rcu_by_tickets, waits_no_longer_than_eight_batches_for_a_clock_that_has_died) {
  retire(batch);
  retire(8 * batch - 1);
  EXPECT_EQ(alive, 9 * batch - 1);
  retire(1);
  EXPECT_EQ(alive, 8 * batch) << "the first batch is reclaimed, and the others begin to wait";
  retire(8 * batch);
  EXPECT_EQ(alive, 8 * batch);
}

TEST_F(rcu_by_tickets, does_not_reclaim_early_by_a_clock_that_has_died) {
  const rcu_region reading(domain_);
  retire(20 * batch);
  EXPECT_EQ(alive, 20 * batch);
}

TEST_F(rcu_by_tickets, who_waits_does_not_wait_for_the_clock) {
  fencepost::rcu_synchronize(domain_);
  retire(batch + 3);
  EXPECT_EQ(alive, batch + 3);
  rcu_barrier(domain_);
  EXPECT_EQ(alive, 0);
  retire(batch - 1);
  EXPECT_EQ(alive, batch - 1);
  stamp();
  retire(1);
  EXPECT_EQ(alive, 0);
}

TEST_F(rcu, exiting_within_a_region_ends_the_program) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(std::thread([] { rcu_default_domain().lock(); }).join(),
               "rcu_domain 0x.*a thread exits within a region");
}

TEST_F(rcu, regions_nest_as_deep_as_promised_and_deeper_ends_the_program) {
  rcu_domain& domain = rcu_default_domain();
  for (int depth = 0; depth != 65'534; ++depth) domain.lock();
  EXPECT_DEATH(domain.lock(), "rcu_domain 0x.*nested too deeply");
  for (int depth = 0; depth != 65'534; ++depth) domain.unlock();
  rcu_synchronize();
}

#ifndef NDEBUG
TEST_F(rcu, unlocking_outside_of_a_region_ends_the_program) {
  EXPECT_DEATH(rcu_default_domain().unlock(), "rcu_domain 0x.*unlocked outside of a region");
}

TEST_F(rcu, waiting_for_oneself_ends_the_program) {
  const std::scoped_lock reading(rcu_default_domain());
  EXPECT_DEATH(rcu_synchronize(), "rcu_domain 0x.*waits for the region that it is called in");
  EXPECT_DEATH(rcu_barrier(), "rcu_domain 0x.*waits for the region that it is called in");
}

TEST_F(rcu, closing_the_outer_region_first_ends_the_program) {
  { const rcu_region first; }  // of the thread: it is closed in any order
  const auto in_order_of_opening = [] {
    std::optional<rcu_region> outer(std::in_place);
    const rcu_region inner;
    outer.reset();
  };
  EXPECT_DEATH(in_order_of_opening(),
               "rcu_region 0x.*closed before a region that was opened within it");
  EXPECT_DEATH(
      {
        const rcu_region outer;
        rcu_default_domain().lock();
      },
      "rcu_region 0x.*closed before a region that was opened within it");
}

TEST_F(rcu, a_barrier_in_a_deleter_of_the_domain_ends_the_program) {
  const auto retired_until = [](void (*wait)()) {
    rcu_retire(new int, [wait](int* one) {
      delete one;
      wait();
    });
    rcu_barrier();
  };
  EXPECT_DEATH(retired_until([] { rcu_barrier(); }),
               "rcu_barrier\\(\\) 0x.*called in a deleter of the domain");
  retired_until([] {
    rcu_domain another;
    rcu_barrier(another);
  });
}
#endif

}  // namespace
