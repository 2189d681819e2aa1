// SPDX-License-Identifier: MIT
#include "fencepost/srcu.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <utility>

namespace {

using fencepost::rcu_barrier;
using fencepost::rcu_batch_size;
using fencepost::rcu_retire;
using fencepost::rcu_synchronize;
using fencepost::srcu_domain;
using fencepost::srcu_region;

int alive = 0;

struct node : fencepost::rcu_obj_base<node> {
  explicit node(node* after = nullptr, srcu_domain* where = nullptr) : next(after), domain(where) {
    ++alive;
  }
  ~node() {
    --alive;
    if (next != nullptr) next->retire({}, *domain);
  }
  node* next;
  srcu_domain* domain;
};

class srcu : public testing::Test {
 protected:
  srcu() { rcu_batch_size(1, domain_); }
  ~srcu() override {
    rcu_barrier(domain_);
    EXPECT_EQ(alive, 0);
  }
  void retire_one() { (new node)->retire({}, domain_); }

  srcu_domain domain_{nullptr};
};

TEST_F(srcu, keeps_what_is_retired_until_the_region_is_closed) {
  srcu_region reading(domain_);
  EXPECT_TRUE(reading.is_open());
  retire_one();
  retire_one();
  EXPECT_EQ(alive, 2);
  reading.close();
  EXPECT_FALSE(reading.is_open());
  reading.close();
  retire_one();
  EXPECT_EQ(alive, 0);
}

TEST_F(srcu, reclaims_at_once_what_nobody_reads) {
  for (int n = 0; n != 10; ++n) {
    retire_one();
    EXPECT_EQ(alive, 0);
  }
  rcu_synchronize(domain_);
}

TEST_F(srcu, regions_are_moved_and_closed_by_other_threads) {
  srcu_region reading(domain_);
  srcu_region nothing = std::move(reading);
  EXPECT_FALSE(reading.is_open());
  reading.swap(nothing);
  EXPECT_TRUE(reading.is_open());
  retire_one();
  EXPECT_EQ(alive, 1);
  std::thread([closes = std::move(reading)] {}).join();
  retire_one();
  EXPECT_EQ(alive, 0);
}

TEST_F(srcu, a_thread_may_be_gone_before_its_region) {
  srcu_region reading;
  std::thread([&] { reading = srcu_region(domain_); }).join();
  retire_one();
  EXPECT_EQ(alive, 1);
  reading = srcu_region();
  retire_one();
  EXPECT_EQ(alive, 0);
}

TEST_F(srcu, waits_for_no_region_that_is_opened_later) {
  srcu_region reading(domain_);
  for (int n = 0; n != 5; ++n) {
    retire_one();
    EXPECT_EQ(alive, 1) << "of the region that is open, and of nothing before";
    srcu_region later(domain_);
    reading = std::move(later);
  }
  for (int n = 0; n != 5; ++n) {
    const srcu_region another(domain_);
    reading = srcu_region(domain_);
  }
}

TEST_F(srcu, domains_do_not_wait_for_each_others_readers) {
  srcu_domain other;
  const srcu_region reading(other);
  const std::scoped_lock also(fencepost::rcu_default_domain());
  rcu_synchronize(domain_);
  retire_one();
  EXPECT_EQ(alive, 0);
}

TEST_F(srcu, calls_the_deleter_that_was_given) {
  int object = 5;
  int sum = 0;
  rcu_retire(
      &object, [&sum](int* it) { sum += *it; }, domain_);
  rcu_barrier(domain_);
  EXPECT_EQ(sum, 5);
}

TEST_F(srcu, reclaims_a_list_of_any_length_from_its_destructors) {
  node* first = nullptr;
  for (int n = 0; n != 100'000; ++n) first = new node(first, &domain_);
  first->retire({}, domain_);
  EXPECT_EQ(alive, 0);
}

TEST_F(srcu, a_domain_reclaims_everything_before_it_is_gone) {
  {
    srcu_domain other;
    (new node(new node, &other))->retire({}, other);
  }
  EXPECT_EQ(alive, 0);
}

TEST_F(srcu, waits_for_tickets_of_a_clock) {
  if (!fencepost::light_fence_is_free(fencepost::asymmetric_fence_strategy())) {
    GTEST_SKIP() << "tickets are ready at once here";
  }
  alignas(64) static fencepost_clock_line lines[fencepost_clock_first_slot + 3]{};
  lines[0].header.slots = 3;
  srcu_domain by_tickets(reinterpret_cast<const fencepost::interrupt_clock*>(&lines[0]));
  rcu_batch_size(8, by_tickets);
  for (int n = 0; n != 8 + 63; ++n) (new node)->retire({}, by_tickets);
  EXPECT_EQ(alive, 71);
  (new node)->retire({}, by_tickets);
  EXPECT_EQ(alive, 64) << "the clock is not waited for any longer";
  for (int cpu = 0; cpu != 3; ++cpu) {
    __atomic_store_n(&lines[fencepost_clock_first_slot + cpu].slot.stamp, 1ULL << 62,
                     __ATOMIC_RELEASE);
  }
  for (int n = 0; n != 8; ++n) (new node)->retire({}, by_tickets);
  EXPECT_EQ(alive, 0);
}

}  // namespace
