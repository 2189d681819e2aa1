// SPDX-License-Identifier: MIT
// Destructors of elements that use the map: they run where no map is locked.
#include <gtest/gtest.h>

#include <stdexcept>

#include "fencepost/concurrent_hash_map.hpp"
#include "fencepost/rcu.hpp"

namespace {

using fencepost::concurrent_hash_map;

/// Notes who is destroyed while its map is locked, and uses the map where it is not.
struct locking {
  using map = concurrent_hash_map<int, locking>;
  static inline map* used = nullptr;
  static inline bool is_locked = false;
  static inline int destroyed_unlocked = 0;
  static inline int destroyed_locked = 0;

  explicit locking(bool uses) : uses_the_map(uses) {}
  locking(const locking&) = default;
  locking& operator=(const locking&) = delete;
  ~locking() {
    if (!uses_the_map) return;
    ++(is_locked ? destroyed_locked : destroyed_unlocked);
    if (is_locked || used == nullptr) return;
    used->erase(0);
    used->reserve(1000);
  }

  bool uses_the_map;
};

class concurrent_hash_map_of_destructors_that_use_it : public testing::Test {
 protected:
  concurrent_hash_map_of_destructors_that_use_it() {
    fencepost::rcu_barrier();
    locking::destroyed_locked = locking::destroyed_unlocked = 0;
    locking::used = &map;
    for (int n = 0; n != 4; ++n) map.try_emplace(n, n == 3);
    // Retirements look at what is due at once, but not while this is read.
    fencepost::rcu_batch_size(1);
    const fencepost::rcu_region reading;
    map.erase(3);
  }
  ~concurrent_hash_map_of_destructors_that_use_it() override {
    fencepost::rcu_barrier();
    fencepost::rcu_batch_size(1000);
    locking::used = nullptr;
  }

  static void all_was_destroyed_unlocked() {
    fencepost::rcu_barrier();
    EXPECT_EQ(locking::destroyed_locked, 0);
    EXPECT_GE(locking::destroyed_unlocked, 1);
  }

  locking::map map;
};

TEST_F(concurrent_hash_map_of_destructors_that_use_it, calls_none_while_a_visitor_erases) {
  locking::is_locked = true;
  int visited = 0;
  map.for_each([&](const auto& one) {
    ++visited;
    map.erase(one.first);
    locking::is_locked = visited != 3;
  });
  EXPECT_EQ(visited, 3);
  all_was_destroyed_unlocked();
}

TEST_F(concurrent_hash_map_of_destructors_that_use_it, calls_none_while_another_map_is_modified) {
  locking::map other;
  other.try_emplace(1, false);
  map.modify(1, [&](locking&) {
    locking::is_locked = true;
    other.erase(1);
    locking::is_locked = false;
  });
  all_was_destroyed_unlocked();
}

TEST_F(concurrent_hash_map_of_destructors_that_use_it, looks_for_what_is_due_when_it_is_unlocked) {
  locking::map other;
  for (int n = 0; n != 20; ++n) other.try_emplace(n, false);
  map.modify(1, [&](locking&) {
    for (int n = 0; n != 20; ++n) other.erase(n);
  });
  EXPECT_GE(locking::destroyed_unlocked, 1);
}

TEST_F(concurrent_hash_map_of_destructors_that_use_it,
       destroys_a_copy_unlocked_when_modify_throws) {
  EXPECT_THROW(map.modify(1,
                          [](locking& copy) {
                            copy.uses_the_map = true;
                            throw std::runtime_error("change");
                          }),
               std::runtime_error);
  EXPECT_EQ(locking::destroyed_locked, 0);
  EXPECT_GE(locking::destroyed_unlocked, 1);
}

}  // namespace
