// SPDX-License-Identifier: MIT
//
// Sleepable RCU on real threads: what is reclaimed while a region is open, in whichever thread that
// is, is found changed.
#include "fencepost/srcu.hpp"

#include <mutex>
#include <utility>

#include "fencepost/futex.hpp"
#include "run.hpp"
#include "whole_object.hpp"

namespace {

struct object : fencepost::rcu_obj_base<object>, real::whole_object<object> {
  using whole_object::whole_object;
};

class srcu_on_threads : public testing::Test {
 protected:
  ~srcu_on_threads() override {
    replace(nullptr);
    rcu_barrier(domain_);
    EXPECT_EQ(object::ended.load(), object::made.load());
  }

  /// Waits and deletes now and then, retires otherwise.
  void replace(object* next, bool waits = false) {
    object* const old = shared_.exchange(next, std::memory_order_acq_rel);
    if (old == nullptr) return;
    if (!waits) return old->retire({}, domain_);
    rcu_synchronize(domain_);
    delete old;
  }

  std::atomic<object*> shared_{nullptr};
  fencepost::srcu_domain domain_;
  const real::failure_bound bound_;
};

TEST_F(srcu_on_threads, keeps_what_is_looked_at_in_regions_that_are_handed_on) {
  rcu_batch_size(20, domain_);
  struct reading {
    fencepost::srcu_region region;
    const object* seen = nullptr;
  };
  std::mutex handing;
  reading handed[4];
  std::atomic<bool> over{false};
  std::atomic<long> broken{0};
  real::together(real::crowd(), [&](unsigned n) {
    if (n == 0) {
      const long rounds = real::rounds(10'000);
      for (long round = 0; round != rounds; ++round) {
        replace(new object(round), round % 1000 == 0);
      }
      over.store(true);
      return;
    }
    for (unsigned round = n; !over.load(std::memory_order_relaxed); ++round) {
      reading own{fencepost::srcu_region(domain_), nullptr};
      own.seen = shared_.load(std::memory_order_acquire);
      {
        const std::lock_guard exchanging(handing);
        std::swap(own, handed[round % 4]);
      }
      if (own.seen != nullptr && !own.seen->is_whole()) broken.fetch_add(1);
    }
  });
  EXPECT_EQ(broken.load(), 0);
}

TEST_F(srcu_on_threads, waits_for_a_sleeper_in_a_region_and_for_no_other) {
  replace(new object(1));
  fencepost::srcu_domain other;
  fencepost::futex::word go_on{0};
  std::atomic<bool> is_over{false};
  real::sleeper reader([&] {
    const fencepost::srcu_region reading(domain_);
    const object* const seen = shared_.load(std::memory_order_acquire);
    while (go_on.load() == 0) fencepost::futex::wait(go_on, 0);
    EXPECT_TRUE(seen->is_whole());
    is_over.store(true);
  });
  reader.until_asleep();
  rcu_synchronize(other);
  std::thread writer([&] {
    replace(nullptr, true);
    EXPECT_TRUE(is_over.load());
  });
  go_on.store(1);
  fencepost::futex::wake_all(go_on);
  writer.join();
}

}  // namespace
