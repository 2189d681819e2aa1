// SPDX-License-Identifier: MIT
// Every operation beside a map of the standard library, also with hash functions that tell few keys
// apart.
#include <gtest/gtest.h>

#include <climits>
#include <cstddef>
#include <iterator>
#include <random>
#include <string>
#include <type_traits>
#include <unordered_map>

#include "fencepost/concurrent_hash_map.hpp"

namespace {

using fencepost::concurrent_hash_map;

struct same_for_all {
  std::size_t operator()(int) const { return 0; }
};
struct largest_for_all {
  std::size_t operator()(int) const { return ~std::size_t{0}; }
};
struct one_of_three {
  std::size_t operator()(int key) const { return static_cast<std::size_t>(key % 3); }
};
struct in_the_high_bits {
  std::size_t operator()(int key) const { return static_cast<std::size_t>(key) << 56; }
};

template <class Map>
struct concurrent_hash_map_with : testing::Test {
  using value = typename Map::mapped_type;
  static value value_of(std::size_t n) {
    if constexpr (std::is_same_v<value, std::string>) {
      return std::to_string(n);
    } else {
      return static_cast<value>(n);
    }
  }
};
using poor = testing::Types<
    concurrent_hash_map<int, int>, concurrent_hash_map<int, int, same_for_all>,
    concurrent_hash_map<int, int, largest_for_all>, concurrent_hash_map<int, int, one_of_three>,
    concurrent_hash_map<int, int, in_the_high_bits>, concurrent_hash_map<int, std::string>,
    concurrent_hash_map<int, std::string, same_for_all>,
    concurrent_hash_map<int, std::string, one_of_three>>;
TYPED_TEST_SUITE(concurrent_hash_map_with, poor);

TYPED_TEST(concurrent_hash_map_with, thousands_that_are_cleared_is_empty) {
  TypeParam map;
  for (int n = 0; n != 3000; ++n) ASSERT_TRUE(map.insert({n, this->value_of(1)}));
  EXPECT_EQ(map.size(), 3000U);
  map.clear();
  EXPECT_EQ(map.size(), 0U);
  std::size_t seen = 0;
  map.for_each([&](const auto&) { ++seen; });
  EXPECT_EQ(seen, 0U);
  for (int n = 0; n != 3000; ++n) ASSERT_FALSE(map.contains(n));
}

TYPED_TEST(concurrent_hash_map_with, does_what_a_map_of_the_standard_does) {
  TypeParam map;
  std::unordered_map<int, typename TypeParam::mapped_type> model;
  std::mt19937 lot(20);
  for (std::size_t step = 0; step != 30'000; ++step) {
    const int key = static_cast<int>(lot() % 300);
    const auto value = this->value_of(step);
    switch (lot() % 16) {
      case 0:
      case 1:
      case 2:
      case 3:
        ASSERT_EQ(map.insert({key, value}), model.insert({key, value}).second);
        break;
      case 4:
        ASSERT_EQ(map.try_emplace(key, value), model.try_emplace(key, value).second);
        break;
      case 5:
      case 6:
        ASSERT_EQ(map.insert_or_assign(key, value), model.insert_or_assign(key, value).second);
        break;
      case 7:
      case 8: {
        const auto found = model.find(key);
        if (found != model.end()) found->second = value;
        ASSERT_EQ(map.modify(key, [&](auto& old) { old = value; }), found != model.end());
        break;
      }
      case 9:
      case 10:
      case 11:
        ASSERT_EQ(map.erase(key), model.erase(key) == 1);
        break;
      case 12: {
        const auto found = map.find(key);
        ASSERT_EQ(found.has_value(), model.contains(key));
        if (found) {
          ASSERT_EQ(*found, model.at(key));
        }
        break;
      }
      case 13: {
        const int keys[] = {key, key + 1, key + 300, key};
        std::size_t there = 0;
        for (const int one : keys) there += model.count(one);
        ASSERT_EQ(map.visit(std::begin(keys), std::end(keys), [](const auto&) {}), there);
        break;
      }
      case 14:
        if (lot() % 64 == 0) map.rehash(lot() % 2000);
        if (lot() % 64 == 0) map.reserve(lot() % 2000);
        break;
      default:
        if (lot() % 64 == 0) {
          map.clear();
          model.clear();
        }
    }
    ASSERT_EQ(map.size(), model.size());
  }
  map.for_each([&](const auto& element) {
    ASSERT_EQ(model.at(element.first), element.second);
    model.erase(element.first);
  });
  EXPECT_TRUE(model.empty());
}

/// Throws from one call on, for ever.
struct failing_hash {
  struct failure {};
  static inline int calls_left = INT_MAX;
  std::size_t operator()(int key) const {
    if (calls_left == 0) throw failure();
    --calls_left;
    return static_cast<std::size_t>(key % 50);
  }
};

TEST(concurrent_hash_map, whose_hash_function_throws_for_ever_is_as_it_was) {
  for (const std::size_t elements : {0U, 400U, 5000U}) {
    for (int calls = 0; calls < 300; calls += 7) {
      concurrent_hash_map<int, int, failing_hash> map(400);
      for (int n = 0; n != 300; ++n) map.insert({n, -n});
      failing_hash::calls_left = calls;
      if (map.bucket_count() != concurrent_hash_map<int, int>(elements).bucket_count()) {
        EXPECT_THROW(map.rehash(elements), failing_hash::failure);
      }
      EXPECT_EQ(map.size(), 300U);
      std::size_t seen = 0;
      map.for_each([&](const auto&) { ++seen; });
      EXPECT_EQ(seen, 300U);
      failing_hash::calls_left = INT_MAX;
      for (int n = 0; n != 300; ++n) ASSERT_EQ(map.find(n), -n);
      for (int n = 0; n != 300; ++n) ASSERT_TRUE(map.erase(n));
      EXPECT_TRUE(map.empty());
    }
  }
}

}  // namespace
