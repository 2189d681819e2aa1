// SPDX-License-Identifier: MIT
//
// RCU on real threads: some replace an object all the time, others look at it, and whatever is
// reclaimed too early is found changed.
#include "fencepost/rcu.hpp"

#include "fencepost/futex.hpp"
#include "run.hpp"
#include "whole_object.hpp"

namespace {

struct object : fencepost::rcu_obj_base<object>, real::whole_object<object> {
  using whole_object::whole_object;
};
const std::atomic<long>& made = object::made;
const std::atomic<long>& ended = object::ended;

std::atomic<object*> shared{nullptr};

/// Waits and deletes now and then, retires otherwise.
void replace(object* next, bool waits = false) {
  object* const old = shared.exchange(next, std::memory_order_acq_rel);
  if (old == nullptr) return;
  if (!waits) return old->retire();
  fencepost::rcu_synchronize();
  delete old;
}

class rcu_on_threads : public testing::Test {
 protected:
  ~rcu_on_threads() override {
    replace(nullptr);
    fencepost::rcu_barrier();
    EXPECT_EQ(ended.load(), made.load());
    fencepost::rcu_batch_size(1000);
  }

  const real::failure_bound bound_;
};

/// The first replaces, the others look until it is done.
void looked_at_while_replaced(unsigned threads, std::size_t batch, long waits_every) {
  fencepost::rcu_batch_size(batch);
  std::atomic<bool> over{false};
  std::atomic<long> broken{0};
  real::together(threads, [&](unsigned n) {
    if (n == 0) {
      const long rounds = real::rounds(10'000);
      for (long round = 0; round != rounds; ++round) {
        replace(new object(round), round % waits_every == 0);
      }
      over.store(true);
      return;
    }
    do {
      const std::scoped_lock reading(fencepost::rcu_default_domain());
      const object* const seen = shared.load(std::memory_order_acquire);
      if (seen != nullptr && !seen->is_whole()) broken.fetch_add(1);
    } while (!over.load(std::memory_order_relaxed));
  });
  EXPECT_EQ(broken.load(), 0);
}

TEST_F(rcu_on_threads, keeps_what_one_other_looks_at) { looked_at_while_replaced(2, 1, 100); }
TEST_F(rcu_on_threads, keeps_what_many_look_at) {
  looked_at_while_replaced(real::crowd(), 100, 1000);
}

/// An interrupt clock whose stamps are true: of heavy fences that this thread has executed since.
class clock_of_fences {
 public:
  clock_of_fences() { lines_[0].header.slots = processors; }

  [[nodiscard]] const fencepost::interrupt_clock* get() const {
    return reinterpret_cast<const fencepost::interrupt_clock*>(&lines_[0]);
  }

  void go_on() {
    const std::uint64_t before = fencepost::processors::monotonic_now();
    fencepost::asymmetric_thread_fence_heavy();
    for (int cpu = 0; cpu != processors; ++cpu) {
      __atomic_store_n(&lines_[fencepost_clock_first_slot + cpu].slot.stamp, before,
                       __ATOMIC_RELEASE);
    }
  }

 private:
  static constexpr int processors = 2;
  alignas(64) fencepost_clock_line lines_[fencepost_clock_first_slot + processors]{};
};

TEST_F(rcu_on_threads, keeps_what_is_looked_at_while_a_clock_goes_and_when_it_has_died) {
  clock_of_fences clock;
  fencepost::rcu_domain domain(clock.get());
  fencepost::rcu_batch_size(20, domain);
  std::atomic<long> broken{0};
  const long rounds = real::rounds(20'000);
  std::atomic<long> round{0};
  real::together(4, [&](unsigned n) {
    if (n == 0) {
      for (long now = 0; now != rounds; ++now) {
        object* const old = shared.exchange(new object(now), std::memory_order_acq_rel);
        if (old != nullptr) old->retire({}, domain);
        round.store(now + 1, std::memory_order_relaxed);
      }
      return;
    }
    if (n == 1) {
      while (round.load(std::memory_order_relaxed) < rounds / 2) clock.go_on();
      return;
    }
    while (round.load(std::memory_order_relaxed) != rounds) {
      const fencepost::rcu_region reading(domain);
      const object* const seen = shared.load(std::memory_order_acquire);
      if (seen != nullptr && !seen->is_whole()) broken.fetch_add(1);
    }
  });
  EXPECT_EQ(broken.load(), 0);
}

TEST_F(rcu_on_threads, has_many_retire_and_wait_and_come_and_go) {
  fencepost::rcu_batch_size(10);
  const long lives = real::rounds(50);
  real::together(4, [&](unsigned n) {
    for (long life = 0; life != lives; ++life) {
      std::thread([&] {
        for (long round = 0; round != 20; ++round) {
          const std::scoped_lock reading(fencepost::rcu_default_domain());
          replace(new object(round));
          const object* const seen = shared.load(std::memory_order_acquire);
          EXPECT_TRUE(seen->is_whole());
        }
        if (n == 0) fencepost::rcu_synchronize();
        if (n == 1) fencepost::rcu_barrier();
      }).join();
    }
  });
  EXPECT_LE(fencepost::rcu::readers.count(), 1);
}

TEST_F(rcu_on_threads, waits_for_no_sleeper_outside_of_regions) {
  fencepost::futex::word go_on{0};
  real::sleeper idle([&] {
    { const std::scoped_lock reading(fencepost::rcu_default_domain()); }
    for (int n = 0; n != 10; ++n) replace(new object(n));
    while (go_on.load() == 0) fencepost::futex::wait(go_on, 0);
  });
  idle.until_asleep();
  replace(nullptr);
  fencepost::rcu_synchronize();
  fencepost::rcu_barrier();
  EXPECT_EQ(ended.load(), made.load());
  go_on.store(1);
  fencepost::futex::wake_all(go_on);
}

TEST_F(rcu_on_threads, waits_for_a_sleeper_in_a_region) {
  replace(new object(1));
  fencepost::futex::word go_on{0};
  std::atomic<bool> is_over{false};
  real::sleeper reader([&] {
    const std::scoped_lock reading(fencepost::rcu_default_domain());
    const object* const seen = shared.load(std::memory_order_acquire);
    while (go_on.load() == 0) fencepost::futex::wait(go_on, 0);
    EXPECT_TRUE(seen->is_whole());
    is_over.store(true);
  });
  reader.until_asleep();
  std::thread writer([&] {
    replace(nullptr, true);
    EXPECT_TRUE(is_over.load());
  });
  go_on.store(1);
  fencepost::futex::wake_all(go_on);
  writer.join();
}

TEST_F(rcu_on_threads, waits_for_no_thread_that_a_child_does_not_have) {
  fencepost::futex::word go_on{0};
  real::sleeper reader([&] {
    const std::scoped_lock reading(fencepost::rcu_default_domain());
    while (go_on.load() == 0) fencepost::futex::wait(go_on, 0);
  });
  reader.until_asleep();
  // In the midst of reclaiming, in another domain.
  static fencepost::rcu_domain other_domain;
  real::sleeper reclaiming([&] {
    fencepost::rcu_retire(
        &go_on,
        [](fencepost::futex::word* word) {
          while (word->load() == 0) fencepost::futex::wait(*word, 0);
        },
        other_domain);
    fencepost::rcu_barrier(other_domain);
  });
  reclaiming.until_asleep();
  real::process child([&] {
    replace(new object(2));
    replace(nullptr);
    fencepost::rcu_synchronize();
    fencepost::rcu_barrier();
    if (ended.load() != made.load()) return 1;
    (new object(3))->retire(std::default_delete<object>(), other_domain);
    fencepost::rcu_barrier(other_domain);
    return ended.load() == made.load() ? 0 : 2;
  });
  EXPECT_EQ(child.status(), 0);
  // A child of a thread that is in a region is in it, too.
  {
    const std::scoped_lock reading(fencepost::rcu_default_domain());
    real::process inside([&] {
      fencepost::rcu_batch_size(1);
      (new object(4))->retire();
      if (ended.load() == made.load()) return 1;
      fencepost::rcu_default_domain().unlock();
      fencepost::rcu_barrier();
      return ended.load() == made.load() ? 0 : 2;
    });
    EXPECT_EQ(inside.status(), 0);
  }
  go_on.store(1);
  fencepost::futex::wake_all(go_on);
}

}  // namespace
