// SPDX-License-Identifier: MIT
// Keys of types whose operators are their own.
#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <type_traits>

#include "fencepost/concurrent_hash_map.hpp"

namespace {

using fencepost::concurrent_hash_map;

/// Letters are equal whatever their case.
enum class letter : char {};
constexpr int lower(letter one) { return static_cast<unsigned char>(one) | 0x20; }
bool operator==(letter a, letter b) { return lower(a) == lower(b); }

struct letter_hash {
  std::size_t operator()(letter one) const { return static_cast<std::size_t>(lower(one)); }
};

/// By operators that are found in other ways.
enum class constrained {};
template <class E>
requires std::is_same_v<E, constrained>
bool operator==(const E& a, const E& b) {
  return static_cast<int>(a) % 2 == static_cast<int>(b) % 2;
}
struct owner {
  enum class owned {};
  friend bool operator==(owned, owned) { return true; }
};

/// A key and an iterator of those who overload what is not for others to overload.
namespace overloading {

struct key {
  int value;
  bool operator==(const key&) const = default;
};
struct hash {
  std::size_t operator()(const key& one) const { return static_cast<std::size_t>(one.value); }
};
struct iterator {
  using iterator_category = std::forward_iterator_tag;
  using value_type = key;
  using difference_type = std::ptrdiff_t;
  using pointer = const key*;
  using reference = const key&;
  reference operator*() const { return *at; }
  iterator& operator++() {
    ++at;
    return *this;
  }
  iterator operator++(int) { return {at++}; }
  bool operator==(const iterator&) const = default;
  const key* at;
};
template <class T>
void operator&(T&&) = delete;
template <class A, class B>
void operator,(A&&, B&&) = delete;

}  // namespace overloading

TEST(concurrent_hash_map, compares_enumerators_as_their_own_operator_does) {
  concurrent_hash_map<letter, int, letter_hash> letters;
  letters.insert({letter{'a'}, 1});
  EXPECT_EQ(letters.find(letter{'A'}), 1);
  EXPECT_FALSE(letters.insert({letter{'A'}, 2}));
  concurrent_hash_map<letter, int, letter_hash, std::equal_to<>> transparent;
  transparent.insert({letter{'a'}, 1});
  EXPECT_TRUE(transparent.contains(letter{'A'}));

  enum class plain {};
  using fencepost::hash_map_keys_are_bytes;
  EXPECT_TRUE((hash_map_keys_are_bytes<plain, std::equal_to<plain>>));
  EXPECT_TRUE((hash_map_keys_are_bytes<std::byte, std::equal_to<>>));
  EXPECT_FALSE((hash_map_keys_are_bytes<constrained, std::equal_to<constrained>>));
  EXPECT_FALSE((hash_map_keys_are_bytes<owner::owned, std::equal_to<owner::owned>>));
  EXPECT_TRUE(owner::owned{0} == owner::owned{1});
  EXPECT_FALSE((hash_map_keys_are_bytes<double, std::equal_to<double>>));
}

TEST(concurrent_hash_map, calls_no_operators_that_are_overloaded_for_other_reasons) {
  using overloading::key;
  const key keys[] = {{1}, {2}, {3}};
  concurrent_hash_map<key, int, overloading::hash> map;
  for (const key& one : keys) EXPECT_TRUE(map.try_emplace(one, one.value));
  EXPECT_TRUE(map.modify(keys[0], [](int& value) { value = 7; }));
  EXPECT_FALSE(map.insert_or_assign(keys[1], 8));
  EXPECT_EQ(map.find(keys[0]), 7);
  EXPECT_TRUE(map.erase(keys[2]));
  map.reserve(10'000);
  const overloading::iterator first{keys + 0};
  const overloading::iterator last{keys + 3};
  EXPECT_EQ(map.visit(first, last, [](const auto&) {}), 2U);
  map.clear();
  EXPECT_TRUE(map.empty());
}

}  // namespace
