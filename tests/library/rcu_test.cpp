// SPDX-License-Identifier: MIT
#include "fencepost/rcu.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

namespace {

using fencepost::rcu_barrier;
using fencepost::rcu_batch_size;
using fencepost::rcu_default_domain;
using fencepost::rcu_domain;
using fencepost::rcu_region;
using fencepost::rcu_retire;
using fencepost::rcu_synchronize;

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

TEST_F(rcu, records_of_threads_that_exit_are_used_again) {
  const auto read = [] { const std::scoped_lock reading(rcu_default_domain()); };
  std::thread(read).join();
  const std::size_t before = fencepost::rcu::readers.count();
  for (int n = 0; n != 20; ++n) std::thread(read).join();
  EXPECT_EQ(fencepost::rcu::readers.count(), before);
}

/// Enters a region while its thread exits, after what it owned has been left to others.
struct last_reader {
  ~last_reader() {
    const std::scoped_lock reading(rcu_default_domain());
    (new node)->retire();
    EXPECT_EQ(alive, 1);
    rcu_batch_size(1);
    (new node)->retire();
    EXPECT_EQ(alive, 2);
    rcu_batch_size(1000);
  }
};

TEST_F(rcu, protects_a_thread_that_exits_to_its_end) {
  std::thread([] {
    static thread_local const last_reader last;
    static_cast<void>(&last);
    const std::scoped_lock reading(rcu_default_domain());
  }).join();
  rcu_barrier();
  EXPECT_EQ(alive, 0);
  const std::size_t before = fencepost::rcu::readers.count();
  std::thread([] { const std::scoped_lock reading(rcu_default_domain()); }).join();
  EXPECT_EQ(fencepost::rcu::readers.count(), before);
}

#ifndef NDEBUG
TEST_F(rcu, unlocking_outside_of_a_region_ends_the_program) {
  EXPECT_DEATH(rcu_default_domain().unlock(), "rcu_domain 0x.*unlocked outside of a region");
}

TEST_F(rcu, waiting_for_oneself_ends_the_program) {
  const std::scoped_lock reading(rcu_default_domain());
  EXPECT_DEATH(rcu_synchronize(), "rcu_domain 0x.*waits for the region that it is called in");
}
#endif

}  // namespace
