// SPDX-License-Identifier: MIT
#include "fencepost/concurrent_hash_map.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <memory_resource>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace {

using fencepost::concurrent_hash_map;
using map_of_numbers = concurrent_hash_map<int, int>;

/// Fails in the copy, or in the hash, that is to fail.
struct fragile {
  static inline int alive = 0;
  static inline int copies_left = -1;

  explicit fragile(int n = 0) : value(n) { ++alive; }
  fragile(const fragile& other) : value(other.value) {
    if (copies_left == 0) throw std::runtime_error("copy");
    if (copies_left > 0) --copies_left;
    ++alive;
  }
  fragile& operator=(const fragile&) = delete;
  ~fragile() { --alive; }
  bool operator==(const fragile& other) const { return value == other.value; }

  int value;
};

struct fragile_hash {
  static inline bool fails = false;
  std::size_t operator()(const fragile& key) const {
    if (fails) throw std::runtime_error("hash");
    return static_cast<std::size_t>(key.value);
  }
};

/// Counts what is out, and has no memory when it is told so.
struct counting_resource : std::pmr::memory_resource {
  std::size_t bytes_out = 0;
  std::size_t largest = ~std::size_t{0};
  long allocations_left = -1;  // unless negative

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes > largest || allocations_left == 0) throw std::bad_alloc();
    if (allocations_left > 0) --allocations_left;
    bytes_out += bytes;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    bytes_out -= bytes;
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }
};

template <class T>
using counted_map = concurrent_hash_map<int, T, std::hash<int>, std::equal_to<int>,
                                        std::pmr::polymorphic_allocator<std::pair<const int, T>>>;

/// All into a few chains.
struct bad_hash {
  std::size_t operator()(int key) const { return static_cast<std::size_t>(key % 3); }
};

TEST(concurrent_hash_map, finds_what_was_inserted_however_much_it_grows) {
  map_of_numbers map;
  EXPECT_TRUE(map.empty());
  const std::size_t buckets = map.bucket_count();
  for (int n = 0; n != 10'000; ++n) EXPECT_TRUE(map.insert({n, -n}));
  EXPECT_EQ(map.size(), 10'000U);
  EXPECT_GT(map.bucket_count(), buckets);
  for (int n = 0; n != 10'000; ++n) EXPECT_EQ(map.find(n), -n);
  EXPECT_EQ(map.find(10'000), std::nullopt);
  EXPECT_FALSE(map.contains(-1));
}

TEST(concurrent_hash_map, keeps_what_is_there_when_the_key_is_inserted_again) {
  map_of_numbers map;
  EXPECT_TRUE(map.insert({1, 10}));
  EXPECT_FALSE(map.insert({1, 20}));
  EXPECT_FALSE(map.try_emplace(1, 30));
  EXPECT_EQ(map.find(1), 10);
  EXPECT_EQ(map.size(), 1U);
}

TEST(concurrent_hash_map, assigns_and_modifies) {
  concurrent_hash_map<std::string, std::string> map;
  EXPECT_TRUE(map.insert_or_assign("a", "b"));
  EXPECT_FALSE(map.insert_or_assign("a", "c"));
  EXPECT_EQ(map.find("a"), "c");
  EXPECT_TRUE(map.modify("a", [](std::string& value) { value += "d"; }));
  EXPECT_EQ(map.find("a"), "cd");
  EXPECT_FALSE(map.modify("b", [](std::string&) {}));
  EXPECT_EQ(map.size(), 1U);
}

TEST(concurrent_hash_map, erases_from_everywhere_in_a_chain) {
  concurrent_hash_map<int, int, bad_hash> map;
  for (int n = 0; n != 30; ++n) map.insert({n, n});
  for (const int gone : {0, 27, 15, 1, 29}) {
    EXPECT_TRUE(map.erase(gone));
    EXPECT_FALSE(map.erase(gone));
    EXPECT_FALSE(map.contains(gone));
  }
  EXPECT_EQ(map.size(), 25U);
  for (const int left : {3, 4, 2, 26, 28, 25}) EXPECT_EQ(map.find(left), left);
}

TEST(concurrent_hash_map, shows_an_element_to_a_visitor) {
  map_of_numbers map;
  map.insert({1, 10});
  int seen = 0;
  EXPECT_TRUE(map.visit(1, [&](const std::pair<const int, int>& one) {
    seen = one.second;
    map.erase(1);
    EXPECT_EQ(one.second, 10);
  }));
  EXPECT_EQ(seen, 10);
  EXPECT_FALSE(map.visit(1, [](const auto&) { FAIL(); }));
}

TEST(concurrent_hash_map, visits_all_elements_once_though_the_visitor_changes_the_map) {
  map_of_numbers map;
  for (int n = 0; n != 1000; ++n) map.insert({n, n});
  std::multiset<int> seen;
  map.for_each([&](const auto& one) {
    if (one.first < 1000) seen.insert(one.first);
    map.erase(one.first);
    map.insert({one.first + 1000, 0});
  });
  EXPECT_EQ(seen.size(), 1000U);
  EXPECT_EQ(std::set<int>(seen.begin(), seen.end()).size(), 1000U);
  EXPECT_FALSE(map.contains(999));
}

TEST(concurrent_hash_map, goes_over_to_as_many_buckets_as_it_is_told_and_keeps_everything) {
  map_of_numbers map(5000);
  const std::size_t buckets = map.bucket_count();
  EXPECT_GE(buckets * 10, 5000U);
  for (int n = 0; n != 4000; ++n) map.insert({n, n});
  EXPECT_EQ(map.bucket_count(), buckets);
  map.reserve(1);
  EXPECT_EQ(map.bucket_count(), buckets);
  for (const std::size_t elements : {0U, 100'000U, 300U}) {
    map.rehash(elements);
    EXPECT_GE(map.bucket_count() * 10, elements);
    EXPECT_EQ(map.size(), 4000U);
    for (int n = 0; n != 4000; ++n) ASSERT_EQ(map.find(n), n);
  }
}

TEST(concurrent_hash_map, is_empty_after_it_was_cleared_and_is_filled_again) {
  map_of_numbers map;
  for (int n = 0; n != 100; ++n) map.insert({n, n});
  map.clear();
  EXPECT_TRUE(map.empty());
  EXPECT_FALSE(map.contains(1));
  EXPECT_TRUE(map.insert({1, 2}));
  EXPECT_EQ(map.size(), 1U);
}

TEST(concurrent_hash_map, looks_up_what_is_like_a_key) {
  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const {
      return std::hash<std::string_view>()(key);
    }
  };
  concurrent_hash_map<std::string, int, hash, std::equal_to<>> map;
  map.insert({"key", 1});
  EXPECT_EQ(map.find(std::string_view("key")), 1);
  EXPECT_TRUE(map.contains("key"));
  EXPECT_TRUE(map.visit(std::string_view("key"), [](const auto&) {}));
  EXPECT_TRUE(map.erase(std::string_view("key")));
  EXPECT_FALSE(map.contains("key"));
}

TEST(concurrent_hash_map, has_elements_that_can_only_be_moved) {
  concurrent_hash_map<int, std::unique_ptr<int>> map;
  EXPECT_TRUE(map.try_emplace(1, std::make_unique<int>(7)));
  EXPECT_FALSE(map.insert_or_assign(1, std::make_unique<int>(8)));
  EXPECT_TRUE(map.insert({2, std::make_unique<int>(9)}));
  int sum = 0;
  map.for_each([&](const auto& one) { sum += *one.second; });
  EXPECT_EQ(sum, 17);
}

TEST(concurrent_hash_map, is_as_it_was_after_a_constructor_threw) {
  {
    concurrent_hash_map<int, fragile> map;
    map.try_emplace(1, 10);
    const fragile more(20);
    fragile::copies_left = 0;
    EXPECT_THROW(map.try_emplace(2, more), std::runtime_error);
    EXPECT_THROW(map.insert_or_assign(1, more), std::runtime_error);
    EXPECT_THROW(map.modify(1, [](fragile&) {}), std::runtime_error);
    EXPECT_THROW(static_cast<void>(map.find(1)), std::runtime_error);
    fragile::copies_left = -1;
    EXPECT_THROW(map.modify(1, [](fragile&) { throw 1; }), int);
    EXPECT_THROW(map.visit(1, [](const auto&) { throw 1; }), int);
    EXPECT_EQ(map.size(), 1U);
    EXPECT_FALSE(map.contains(2));
    EXPECT_EQ(map.find(1)->value, 10);
    EXPECT_TRUE(map.modify(1, [](fragile& one) { ++one.value; }));
    EXPECT_TRUE(map.erase(1));
  }
  fencepost::rcu_barrier();
  EXPECT_EQ(fragile::alive, 0);
}

TEST(concurrent_hash_map, is_as_it_was_after_a_hash_function_threw) {
  concurrent_hash_map<fragile, int, fragile_hash> map;
  map.try_emplace(fragile(1), 1);
  fragile_hash::fails = true;
  EXPECT_THROW(map.try_emplace(fragile(2), 2), std::runtime_error);
  EXPECT_THROW(map.insert_or_assign(fragile(1), 2), std::runtime_error);
  EXPECT_THROW(map.erase(fragile(1)), std::runtime_error);
  EXPECT_THROW(static_cast<void>(map.contains(fragile(1))), std::runtime_error);
  fragile_hash::fails = false;
  EXPECT_EQ(map.find(fragile(1)), 1);
  EXPECT_EQ(map.size(), 1U);
}

TEST(concurrent_hash_map, gives_all_memory_back_to_its_allocator_before_it_is_gone) {
  counting_resource memory;
  {
    counted_map<std::string> map(0, {}, {}, &memory);
    for (int n = 0; n != 1000; ++n) map.insert({n, "a string that is longer than most are"});
    for (int n = 0; n != 500; ++n) map.erase(n);
    for (int n = 500; n != 1000; ++n) map.insert_or_assign(n, "b");
    EXPECT_GT(memory.bytes_out, 0U);
    EXPECT_EQ(map.get_allocator().resource(), &memory);
  }
  EXPECT_EQ(memory.bytes_out, 0U);
}

TEST(concurrent_hash_map, goes_on_with_longer_chains_where_there_is_no_memory_to_grow) {
  counting_resource memory;
  counted_map<std::string> map(0, {}, {}, &memory);
  const std::size_t buckets = map.bucket_count();
  memory.largest = 512;  // what hangs behind a bucket, and no table
  for (int n = 0; n != 1000; ++n) EXPECT_TRUE(map.insert({n, std::to_string(n)}));
  EXPECT_EQ(map.bucket_count(), buckets);
  EXPECT_THROW(map.reserve(1000), std::bad_alloc);
  memory.largest = 0;
  EXPECT_THROW(map.insert({1000, ""}), std::bad_alloc);
  memory.largest = ~std::size_t{0};
  for (int n = 0; n != 1000; ++n) EXPECT_EQ(map.find(n), std::to_string(n));
  map.reserve(1000);
  EXPECT_GT(map.bucket_count(), buckets);
  EXPECT_EQ(map.size(), 1000U);
}

TEST(concurrent_hash_map, is_whole_in_two_tables_where_there_is_no_memory_to_move_it_to_the_end) {
  counting_resource memory;
  {
    counted_map<int> map(4000, {}, {}, &memory);
    for (int n = 0; n != 4000; ++n) map.insert({n, n});
    const auto seen = [&] {
      std::set<int> all;
      map.for_each([&](const auto& one) { EXPECT_TRUE(all.insert(one.first).second); });
      return all.size();
    };
    memory.allocations_left = 1;  // the table's, and not what hangs behind its few buckets
    EXPECT_THROW(map.rehash(300), std::bad_alloc);
    EXPECT_EQ(seen(), 4000U);
    for (int n = 0; n != 4000; ++n) ASSERT_EQ(map.find(n), n);
    for (int n = 0; n != 1000; ++n) ASSERT_TRUE(map.erase(n));
    for (int n = 1000; n != 2000; ++n) ASSERT_FALSE(map.insert_or_assign(n, -n));
    for (int n = 0; n != 500; ++n) ASSERT_TRUE(map.insert({n, 2 * n}));
    EXPECT_EQ(seen(), 3500U);
    memory.allocations_left = -1;
    map.rehash(300);
    EXPECT_EQ(seen(), 3500U);
    EXPECT_EQ(map.bucket_count(), 32U);
    for (int n = 0; n != 4000; ++n) {
      ASSERT_EQ(map.contains(n), n < 500 || n >= 1000);
      ASSERT_EQ(map.find(n).value_or(0), n < 500 ? 2 * n : n < 1000 ? 0 : n < 2000 ? -n : n);
    }
    map.rehash(10'000);
    memory.allocations_left = 1;
    EXPECT_THROW(map.rehash(300), std::bad_alloc);
    map.clear();
    EXPECT_TRUE(map.empty());
    EXPECT_EQ(seen(), 0U);
    EXPECT_TRUE(map.insert({1, 1}));
  }
  EXPECT_EQ(memory.bytes_out, 0U);
}

TEST(concurrent_hash_map, keeps_small_keys_and_values_of_all_kinds) {
  enum class color : short { red, green };
  struct pixel {
    unsigned char channels[3];
  };
  concurrent_hash_map<color, pixel> colors;
  colors.insert({color::green, {{1, 2, 3}}});
  EXPECT_FALSE(colors.contains(color::red));
  EXPECT_EQ(colors.find(color::green)->channels[2], 3);
  concurrent_hash_map<long, double> numbers;
  for (long n = -500; n != 500; ++n) numbers.insert({n, static_cast<double>(n) / 2});
  for (long n = -500; n != 500; ++n) EXPECT_EQ(numbers.find(n), static_cast<double>(n) / 2);
  EXPECT_EQ(numbers.size(), 1000U);
  concurrent_hash_map<const int*, bool> pointers;
  const int there = 0;
  pointers.insert({nullptr, true});
  EXPECT_EQ(pointers.find(nullptr), true);
  EXPECT_FALSE(pointers.contains(&there));
}

/// All keys that are there are visited, once for each time that they are asked for.
template <class Map, class Make>
void visit_many(Map& map, int elements, Make make) {
  using key_type = typename Map::key_type;
  for (int n = 0; n != elements; ++n) map.insert({make(n), make(-n)});
  std::vector<key_type> keys;
  for (int n = 0; n != 3 * elements; ++n) keys.push_back(make(n % (2 * elements)));
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{31}, std::size_t{32},
                                  std::size_t{33}, keys.size()}) {
    const auto last = keys.begin() + static_cast<std::ptrdiff_t>(std::min(count, keys.size()));
    std::multiset<key_type> expected;
    std::copy_if(keys.begin(), last, std::inserter(expected, expected.end()),
                 [&](const key_type& key) { return map.contains(key); });
    std::multiset<key_type> seen;
    const std::size_t visited = map.visit(keys.begin(), last, [&](const auto& one) {
      EXPECT_EQ(one.second, map.find(one.first));
      seen.insert(one.first);
    });
    EXPECT_EQ(visited, expected.size());
    EXPECT_EQ(seen, expected);
  }
}

TEST(concurrent_hash_map, looks_up_many_keys_at_a_time) {
  map_of_numbers numbers;
  visit_many(numbers, 1000, [](int n) { return n; });
  concurrent_hash_map<std::string, std::string> texts;
  visit_many(texts, 1000, [](int n) { return std::to_string(n); });
  struct all_alike {
    std::size_t operator()(int) const noexcept { return 7; }
  };
  concurrent_hash_map<int, int, all_alike> in_one_bucket;
  visit_many(in_one_bucket, 40, [](int n) { return n; });
}

TEST(concurrent_hash_map, looks_behind_a_full_bucket_only_while_something_is_there) {
  namespace parts = fencepost::hash_map;
  parts::fingerprints prints;
  parts::line lines[parts::part::lines];
  const parts::bucket bucket{parts::part(prints, lines)};
  const auto any = [](parts::word) { return true; };
  parts::further_part behind[2];
  for (int round = 0; round != 3; ++round) {
    for (parts::word n = 0; n != 3 * parts::part::places; ++n) {
      const auto where = bucket.place_of(1, n, any);
      ASSERT_FALSE(where.in);
      if (where.free_part) {
        bucket.put(where, 1, {n, n});
      } else {
        parts::bucket::put_behind(where, behind[n / parts::part::places - 1], 1, {n, n});
      }
      EXPECT_EQ(bucket.look(1).is_all, n < parts::part::places);
    }
    for (parts::word n = 3 * parts::part::places; n-- != 0;) {
      bucket.remove(bucket.place_of(1, n, any));
      EXPECT_EQ(bucket.look(1).is_all, n <= parts::part::places);
    }
    parts::word content = 0;
    EXPECT_EQ(bucket.find(1, 0, content, any), parts::outcome::missing);
  }
}

TEST(concurrent_hash_map, may_be_used_by_the_destructors_of_its_elements) {
  struct user {
    explicit user(map_of_numbers* used) : map(used) {}
    user(const user&) = delete;
    user& operator=(const user&) = delete;
    ~user() {
      map->insert({static_cast<int>(map->size()), 0});
      map->for_each([](const auto&) {});
      map->reserve(map->size());
    }
    map_of_numbers* map;
  };
  map_of_numbers used;
  concurrent_hash_map<int, user> map;
  fencepost::rcu_batch_size(1);
  for (int n = 0; n != 500; ++n) map.try_emplace(n, &used);
  for (int n = 0; n != 100; ++n) map.erase(n);
  map.rehash(0);
  map.clear();
  fencepost::rcu_batch_size(1000);
  fencepost::rcu_barrier();
  EXPECT_EQ(used.size(), 500U);
  // Of one map alone: what it retires while it grows is ended when it has grown.
  struct own_user {
    explicit own_user(concurrent_hash_map<int, own_user>* used) : map(used) {}
    own_user(const own_user&) = delete;
    own_user& operator=(const own_user&) = delete;
    ~own_user() {
      if (map != nullptr) map->for_each([](const auto&) {});
    }
    concurrent_hash_map<int, own_user>* map;
  };
  concurrent_hash_map<int, own_user> own;
  fencepost::rcu_batch_size(2);
  for (int n = 0; n != 500; ++n) {
    own.try_emplace(n, &own);
    own.erase(n / 2);
  }
  own.clear();
  fencepost::rcu_barrier();
  fencepost::rcu_batch_size(1000);
  EXPECT_TRUE(own.empty());
}

TEST(concurrent_hash_map, has_one_element_however_many_keys_are_equal) {
  struct parity {
    bool operator()(int a, int b) const { return a % 2 == b % 2; }
    std::size_t operator()(int a) const { return static_cast<std::size_t>(a % 2); }
  };
  concurrent_hash_map<int, int, parity, parity> map;
  for (int n = 0; n != 10; ++n) map.insert_or_assign(n, n);
  EXPECT_EQ(map.size(), 2U);
  EXPECT_EQ(map.find(100), 8);
  map.visit(1, [](const auto& one) { EXPECT_EQ(one.first, 9); });
}

}  // namespace
