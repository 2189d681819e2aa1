// SPDX-License-Identifier: MIT
//
// Hazard pointers on real threads: some replace an object all the time, others look at it, and
// whatever is reclaimed too early is found changed.
#include "fencepost/hazard_pointer.hpp"

#include "fencepost/futex.hpp"
#include "run.hpp"
#include "whole_object.hpp"

namespace {

using fencepost::hazard_pointer;
using fencepost::make_hazard_pointer;

struct object : fencepost::hazard_pointer_obj_base<object>, real::whole_object<object> {
  using whole_object::whole_object;
};
const std::atomic<long>& made = object::made;
const std::atomic<long>& ended = object::ended;

std::atomic<object*> shared{nullptr};

void replace(object* next) {
  object* const old = shared.exchange(next, std::memory_order_acq_rel);
  if (old != nullptr) old->retire();
}

class hazard_pointers_on_threads : public testing::Test {
 protected:
  ~hazard_pointers_on_threads() override {
    replace(nullptr);
    fencepost::hazard_pointer_clean_up();
    EXPECT_EQ(ended.load(), made.load());
    fencepost::hazard_pointer_garbage_limit(1000);
  }

  const real::failure_bound bound_;
};

/// One replaces, the others look until it is done.
void looked_at_while_replaced(unsigned threads, std::size_t limit) {
  fencepost::hazard_pointer_garbage_limit(limit);
  std::atomic<bool> over{false};
  std::atomic<long> broken{0};
  real::together(threads, [&](unsigned n) {
    if (n == 0) {
      const long rounds = real::rounds(20'000);
      for (long round = 0; round != rounds; ++round) replace(new object(round));
      over.store(true);
      return;
    }
    hazard_pointer reader = make_hazard_pointer();
    do {
      const object* const seen = reader.protect(shared);
      if (seen != nullptr && !seen->is_whole()) broken.fetch_add(1);
    } while (!over.load(std::memory_order_relaxed));
  });
  EXPECT_EQ(broken.load(), 0);
}

TEST_F(hazard_pointers_on_threads, keep_what_one_other_looks_at) { looked_at_while_replaced(2, 1); }
TEST_F(hazard_pointers_on_threads, keep_what_many_look_at) {
  looked_at_while_replaced(real::crowd(), 100);
}

TEST_F(hazard_pointers_on_threads, reclaim_what_many_retire_though_one_stalls) {
  fencepost::hazard_pointer_garbage_limit(100);
  replace(new object(0));
  hazard_pointer stalled = make_hazard_pointer();
  const object* const seen = stalled.protect(shared);
  const long before = made.load() - ended.load();
  const unsigned threads = real::crowd();
  real::together(threads, [&](unsigned n) {
    const long rounds = real::rounds(2000);
    for (long round = 0; round != rounds; ++round) {
      hazard_pointer reader = make_hazard_pointer();
      replace(new object(static_cast<long>(n)));
      reader.protect(shared);
    }
  });
  EXPECT_TRUE(seen->is_whole());
  // Nobody is retiring: the bound is exact.
  const auto limit = std::max(100L, 2 * static_cast<long>(fencepost::hazard::slots.count()));
  EXPECT_LT(made.load() - ended.load() - before, limit);
}

TEST_F(hazard_pointers_on_threads, leave_their_slots_and_their_garbage_to_others) {
  const auto a_life = [] {
    hazard_pointer reader = make_hazard_pointer();
    reader.protect(shared);
    replace(new object(1));
  };
  real::together(4, [&](unsigned) { a_life(); });
  const std::size_t slots = fencepost::hazard::slots.count();
  const long rounds = real::rounds(200);
  for (long round = 0; round != rounds; ++round) real::together(2, [&](unsigned) { a_life(); });
  EXPECT_LE(fencepost::hazard::slots.count(), std::max<std::size_t>(slots, 4));
}

TEST_F(hazard_pointers_on_threads, of_a_sleeping_thread_delay_nothing_outside_of_a_protection) {
  fencepost::futex::word go_on{0};
  real::sleeper idle([&] {
    hazard_pointer reader = make_hazard_pointer();
    reader.protect(shared);
    reader.reset_protection();
    for (int n = 0; n != 10; ++n) replace(new object(n));
    while (go_on.load() == 0) fencepost::futex::wait(go_on, 0);
  });
  idle.until_asleep();
  replace(nullptr);
  fencepost::hazard_pointer_clean_up();
  EXPECT_EQ(ended.load(), made.load());
  go_on.store(1);
  fencepost::futex::wake_all(go_on);
}

TEST_F(hazard_pointers_on_threads, of_other_threads_protect_nothing_in_a_child) {
  fencepost::hazard_pointer_garbage_limit(1000);
  replace(new object(5));
  hazard_pointer elsewhere;
  fencepost::futex::word go_on{0};
  real::sleeper other([&] {
    hazard_pointer here = make_hazard_pointer();
    here.protect(shared);
    elsewhere = make_hazard_pointer();
    elsewhere.protect(shared);
    while (go_on.load() == 0) fencepost::futex::wait(go_on, 0);
  });
  other.until_asleep();
  hazard_pointer own = make_hazard_pointer();
  const long left = made.load() - ended.load();
  real::process child([&] {
    if (!elsewhere.empty() || own.empty()) return 1;
    elsewhere = hazard_pointer();
    const object* const seen = own.protect(shared);
    replace(nullptr);
    fencepost::hazard_pointer_clean_up();
    if (made.load() - ended.load() != 1 || !seen->is_whole()) return 2;
    own.reset_protection();
    fencepost::hazard_pointer_clean_up();
    if (made.load() != ended.load()) return 3;
    // The slots of the others serve the child's own threads.
    const std::size_t slots = fencepost::hazard::slots.count();
    hazard_pointer more[2] = {make_hazard_pointer(), make_hazard_pointer()};
    return fencepost::hazard::slots.count() == slots ? 0 : 4;
  });
  EXPECT_EQ(child.status(), 0);
  replace(nullptr);
  fencepost::hazard_pointer_clean_up();
  EXPECT_EQ(left, 1);
  EXPECT_EQ(made.load() - ended.load(), 1);
  go_on.store(1);
  fencepost::futex::wake_all(go_on);
  other.join();
}

}  // namespace
