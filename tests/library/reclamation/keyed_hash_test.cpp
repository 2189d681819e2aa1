// SPDX-License-Identifier: MIT
#include "fencepost/keyed_hash.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fencepost/concurrent_hash_map.hpp"

namespace {

using fencepost::concurrent_hash_map;
using fencepost::hash_key;
using fencepost::keyed_hash;
using fencepost::siphash;
using namespace std::string_view_literals;

TEST(siphash, of_2_and_4_rounds_is_that_of_the_paper) {
  // Appendix A: the key is the bytes 0 to 15, the message the bytes 0 to 14.
  const hash_key key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  unsigned char message[15];
  std::iota(std::begin(message), std::end(message), static_cast<unsigned char>(0));
  EXPECT_EQ((siphash<2, 4>(key, message, sizeof message)), 0xa129ca6149be45e5U);
}

TEST(siphash, of_1_and_3_rounds_is_that_of_python) {
  // hash() of bytes in CPython 3.11, PYTHONHASHSEED=0: the key is zero.
  const std::pair<std::string_view, std::uint64_t> messages[] = {
      {"a"sv, 0x407448d2b89b1813U},
      {"abcdefg"sv, 0x6db12aae9070f506U},
      {"abcdefgh"sv, 0x3f7b849c0b8e35eaU},
      {"abcdefghi"sv, 0xf89b34a3d11eb6e5U},
      {"The quick brown fox jumps over the lazy dog"sv, 0x8df676d3d00c451eU},
  };
  for (const auto& [message, expected] : messages) {
    EXPECT_EQ(siphash(hash_key{}, message.data(), message.size()), expected) << message;
  }
}

TEST(keyed_hash, of_a_number_is_that_of_its_eight_bytes) {
  const hash_key key{1, 2};
  unsigned char message[8];
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    for (unsigned n = 0; n != 8; ++n) message[n] = static_cast<unsigned char>(number >> 8 * n);
    EXPECT_EQ(keyed_hash<std::uint64_t>(key)(number), siphash(key, message, 8));
    EXPECT_EQ((keyed_hash<std::uint64_t, 2, 4>(key)(number)), (siphash<2, 4>(key, message, 8)));
  }
  enum class color : short { red = -1 };
  EXPECT_EQ(keyed_hash<int>(key)(-1), keyed_hash<long>(key)(-1));
  EXPECT_EQ(keyed_hash<color>(key)(color::red), keyed_hash<long>(key)(-1));
  const int object = 0;
  EXPECT_EQ(keyed_hash<const int*>(key)(&object),
            keyed_hash<std::uintptr_t>(key)(reinterpret_cast<std::uintptr_t>(&object)));
}

TEST(keyed_hash, of_a_string_is_that_of_its_bytes) {
  const keyed_hash<std::string> hash(hash_key{3, 4});
  EXPECT_EQ(hash("abc"), siphash(hash.key(), "abc", 3));
  EXPECT_EQ(hash(std::string("abc")), hash("abc"sv));
  EXPECT_EQ(hash(""), siphash(hash.key(), nullptr, 0));
  EXPECT_NE(hash("a\0"sv), hash("a"sv));
  const keyed_hash<std::u16string> wide(hash.key());
  EXPECT_EQ(wide(u"ab"), siphash(hash.key(), u"ab", 4));
  const keyed_hash<std::string_view> view(hash.key());
  EXPECT_EQ(view("abc"), hash("abc"));
}

TEST(keyed_hash, has_a_key_of_its_own_that_its_copies_share) {
  std::set<std::uint64_t> keys;
  for (int n = 0; n != 16; ++n) {
    const keyed_hash<std::string> one;
    keys.insert(one.key().low);
    keys.insert(one.key().high);
    const keyed_hash<std::string> copy = one;
    EXPECT_EQ(copy.key(), one.key());
    EXPECT_EQ(copy("abc"), one("abc"));
  }
  EXPECT_EQ(keys.size(), 32U);
}

TEST(keyed_hash, that_a_map_is_given_is_the_one_it_uses) {
  using hash = keyed_hash<std::string>;
  const hash mine(hash_key{5, 6});
  const concurrent_hash_map<std::string, int, hash> map(100, mine);
  EXPECT_EQ(map.hash_function().key(), mine.key());
  const concurrent_hash_map<std::string, int, hash> one;
  const concurrent_hash_map<std::string, int, hash> other;
  EXPECT_NE(one.hash_function().key(), other.hash_function().key());
}

template <class Map>
struct map_with_keyed_hash : testing::Test {};
using maps =
    testing::Types<concurrent_hash_map<int, int, keyed_hash<int>>,
                   concurrent_hash_map<int, std::string, keyed_hash<int>>,
                   concurrent_hash_map<std::string, int, keyed_hash<std::string>>,
                   concurrent_hash_map<std::string, int, keyed_hash<std::string>, std::equal_to<>>>;
TYPED_TEST_SUITE(map_with_keyed_hash, maps);

TYPED_TEST(map_with_keyed_hash, finds_all_while_it_grows_shrinks_and_is_cleared) {
  using map = TypeParam;
  const auto key = [](int n) {
    if constexpr (std::is_same_v<typename map::key_type, int>) {
      return n;
    } else {
      return std::to_string(n);
    }
  };
  const auto value = [](int n) {
    if constexpr (std::is_same_v<typename map::mapped_type, int>) {
      return n;
    } else {
      return std::to_string(n);
    }
  };
  map one;
  for (int n = 0; n != 5000; ++n) ASSERT_TRUE(one.try_emplace(key(n), value(n)));
  one.rehash(0);
  for (int n = 0; n != 5000; ++n) ASSERT_EQ(one.find(key(n)), value(n));
  one.rehash(20'000);
  for (int n = 0; n != 5000; ++n) ASSERT_EQ(one.erase(key(n)), true);
  EXPECT_TRUE(one.empty());
  for (int n = 0; n != 100; ++n) one.insert_or_assign(key(n), value(n));
  one.clear();
  EXPECT_TRUE(one.empty());
}

TEST(keyed_hash, looks_up_by_what_is_like_a_key_without_making_one) {
  concurrent_hash_map<std::string, int, keyed_hash<std::string>, std::equal_to<>> map;
  map.insert({"one", 1});
  EXPECT_EQ(map.find("one"sv), 1);
  EXPECT_EQ(map.find("one"), 1);
  EXPECT_FALSE(map.contains("two"sv));
  EXPECT_TRUE(map.erase("one"sv));
  std::unordered_map<std::string, int, keyed_hash<std::string>, std::equal_to<>> standard;
  standard.emplace("one", 1);
  EXPECT_EQ(standard.find("one"sv)->second, 1);
  auto other = standard;  // takes the key along
  EXPECT_EQ(other.at("one"), 1);
  std::swap(other, standard);
  EXPECT_EQ(standard.at("one"), 1);
}

TEST(keyed_hash, spreads_keys_that_std_hash_does_not) {
  // Of which std::hash makes the same bucket of a map of 2^16: multiples of the inverse of what it
  // multiplies with.
  constexpr std::uint64_t inverse = 0xf1de83e19937733d;
  const keyed_hash<std::uint64_t> hash;
  std::set<std::uint64_t> buckets;
  std::set<std::uint64_t> keyed;
  for (std::uint64_t n = 0; n != 1000; ++n) {
    const std::uint64_t key = n * inverse;
    buckets.insert(fencepost::hash_map::mixed(std::hash<std::uint64_t>()(key)) >> 48);
    keyed.insert(fencepost::hash_map::mixed(hash(key)) >> 48);
  }
  EXPECT_EQ(buckets.size(), 1U);
  EXPECT_GT(keyed.size(), 900U);
}

}  // namespace
