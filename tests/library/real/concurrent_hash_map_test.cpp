// SPDX-License-Identifier: MIT
//
// The map on real threads: keys that are there all the time are looked up while it grows, shrinks
// and changes around them.
#include "fencepost/concurrent_hash_map.hpp"

#include "run.hpp"
#include "whole_object.hpp"

namespace {

struct object : real::whole_object<object> {
  using whole_object::whole_object;
};
using map_of_objects = fencepost::concurrent_hash_map<long, object>;

constexpr long staying = 100;

class concurrent_hash_maps : public testing::Test {
 protected:
  ~concurrent_hash_maps() override {
    fencepost::rcu_barrier();
    EXPECT_EQ(object::ended.load(), object::made.load());
  }

  const real::failure_bound bound_;
};

/// Whether all keys that stay are found, whole.
bool has_what_stays(const map_of_objects& map) {
  bool all = true;
  for (long key = 0; key != staying; ++key) {
    all &=
        map.visit(key, [&](const auto& one) { all &= one.first == key && one.second.is_whole(); });
  }
  return all;
}

/// The first thread works until it is done, the others look meanwhile.
template <class Work>
void looked_at_while(map_of_objects& map, unsigned threads, Work work) {
  for (long key = 0; key != staying; ++key) map.try_emplace(key, key);
  std::atomic<bool> over{false};
  std::atomic<long> missed{0};
  real::together(threads, [&](unsigned n) {
    if (n == 0) {
      work();
      over.store(true);
      return;
    }
    do {
      if (!has_what_stays(map)) missed.fetch_add(1);
    } while (!over.load(std::memory_order_relaxed));
  });
  EXPECT_EQ(missed.load(), 0);
}

TEST_F(concurrent_hash_maps, are_looked_at_while_they_grow_and_shrink) {
  map_of_objects map;
  looked_at_while(map, 3, [&] {
    const long rounds = real::rounds(300);
    for (long round = 0; round != rounds; ++round) {
      map.rehash(round % 2 == 0 ? 4000 : 0);
      map.reserve(1000);
    }
  });
  EXPECT_EQ(map.size(), std::size_t{staying});
}

TEST_F(concurrent_hash_maps, are_looked_at_while_other_elements_come_and_go) {
  map_of_objects map;
  looked_at_while(map, 3, [&] {
    const long rounds = real::rounds(40);
    for (long round = 0; round != rounds; ++round) {
      for (long key = staying; key != staying + 500; ++key) EXPECT_TRUE(map.try_emplace(key, key));
      for (long key = staying; key != staying + 500; ++key) EXPECT_TRUE(map.erase(key));
      map.rehash(0);
    }
  });
}

TEST_F(concurrent_hash_maps, are_looked_at_while_what_stays_is_replaced) {
  map_of_objects map;
  looked_at_while(map, real::crowd(), [&] {
    const long rounds = real::rounds(100);
    for (long round = 0; round != rounds; ++round) {
      for (long key = 0; key != staying; ++key) EXPECT_FALSE(map.insert_or_assign(key, round));
    }
  });
}

TEST_F(concurrent_hash_maps, are_whole_though_small_elements_take_the_places_of_others) {
  // Of keys that share few buckets, and of which each is mapped to itself.
  fencepost::concurrent_hash_map<long, long> map;
  std::atomic<bool> over{false};
  std::atomic<long> wrong{0};
  const long rounds = real::rounds(200'000);
  real::together(3, [&](unsigned n) {
    if (n == 0) {
      for (long round = 0; round != rounds; ++round) {
        map.insert({round % 97, round % 97});
        map.erase((round * 5 + 3) % 97);
        if (round % 10'000 == 0) map.rehash(static_cast<std::size_t>(round % 20'000));
      }
      over.store(true);
      return;
    }
    do {
      for (long key = 0; key != 97; ++key) {
        if (map.find(key).value_or(key) != key) wrong.fetch_add(1);
      }
      map.for_each([&](const auto& one) { wrong += one.first != one.second; });
    } while (!over.load(std::memory_order_relaxed));
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST_F(concurrent_hash_maps, lose_no_change_of_many_writers_while_they_grow) {
  fencepost::concurrent_hash_map<long, long> map;
  const long rounds = real::rounds(20'000);
  std::atomic<long> inserted{0};
  real::together(4, [&](unsigned n) {
    for (long round = 0; round != rounds; ++round) {
      const long shared = round % 50;
      if (!map.modify(-1 - shared, [](long& count) { ++count; })) {
        inserted += map.insert({-1 - shared, 0});
        map.modify(-1 - shared, [](long& count) { ++count; });
      }
      const long own = round * 4 + n;
      EXPECT_TRUE(map.insert({own, own}));
      if (round % 3 == 0) {
        EXPECT_TRUE(map.erase(own));
      }
    }
  });
  long sum = 0;
  for (long shared = 0; shared != 50; ++shared) sum += map.find(-1 - shared).value_or(0);
  EXPECT_EQ(sum, 4 * rounds);
  EXPECT_EQ(inserted.load(), std::min(50L, rounds));
  for (long own = 0; own != 4 * rounds; ++own) {
    ASSERT_EQ(map.contains(own), own / 4 % 3 != 0) << own;
  }
}

TEST_F(concurrent_hash_maps, visit_what_stays_once_while_others_insert) {
  map_of_objects map;
  looked_at_while(map, 3, [&] {
    std::thread other([&] {
      for (long key = staying; key != staying + 5000; ++key) map.try_emplace(key, key);
    });
    for (long round = 0; round != real::rounds(50); ++round) {
      long seen = 0;
      map.for_each([&](const auto& one) { seen += one.first < staying; });
      EXPECT_EQ(seen, staying);
    }
    other.join();
  });
}

}  // namespace
