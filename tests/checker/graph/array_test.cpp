// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "graph/storage.hpp"

namespace fencepost::checker {
namespace {

std::vector<int> contents(const Array<int>& a) { return {a.begin(), a.end()}; }

TEST(array, starts_empty_and_without_memory) {
  const Array<int> a;
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(a.size(), 0U);
  EXPECT_EQ(a.data(), nullptr);
}

TEST(array, keeps_its_elements_while_it_grows) {
  Array<int> a;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(a.push_back(i * 3), i * 3);
    ASSERT_EQ(a.size(), static_cast<std::uint32_t>(i + 1));
    ASSERT_EQ(a.back(), i * 3);
  }
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(a[i], static_cast<int>(i) * 3);
}

TEST(array, takes_an_element_of_its_own_while_it_grows) {
  Array<int> a;
  for (int i = 0; i < 8; ++i) a.push_back(i + 100);
  a.push_back(a[0]);  // the eighth is the last that fits
  EXPECT_EQ(a.back(), 100);
  while (a.size() < 16) a.push_back(0);
  a.insert(0, a[1]);
  EXPECT_EQ(a[0], 101);
}

TEST(array, inserts_and_erases_anywhere) {
  Array<int> a;
  a.insert(0, 2);
  a.insert(0, 1);
  a.insert(2, 4);
  a.insert(2, 3);
  EXPECT_EQ(contents(a), (std::vector<int>{1, 2, 3, 4}));
  a.erase(1);
  EXPECT_EQ(contents(a), (std::vector<int>{1, 3, 4}));
  a.erase(2);
  a.erase(0);
  EXPECT_EQ(contents(a), (std::vector<int>{3}));
  a.erase(0);
  EXPECT_TRUE(a.empty());
}

TEST(array, truncates_from_the_end_and_keeps_the_rest) {
  Array<int> a;
  for (int i = 0; i < 20; ++i) a.push_back(i);
  const int* where = a.data();
  a.truncate(3);
  EXPECT_EQ(contents(a), (std::vector<int>{0, 1, 2}));
  a.pop_back();
  a.push_back(7);
  EXPECT_EQ(contents(a), (std::vector<int>{0, 1, 7}));
  a.clear();
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(a.data(), where) << "it keeps its memory";
}

TEST(array, assigns_what_another_holds) {
  Array<int> a;
  Array<int> b;
  for (int i = 0; i < 50; ++i) a.push_back(i);
  b.push_back(9);
  b.assign(a.data(), 40);
  EXPECT_EQ(b.size(), 40U);
  EXPECT_EQ(b[39], 39);
  b[0] = 5;
  EXPECT_EQ(a[0], 0);
  b.assign(nullptr, 0);
  EXPECT_TRUE(b.empty());
}

TEST(array, resizes_without_losing_what_was_there) {
  Array<int> a;
  a.push_back(1);
  a.resize(100);
  EXPECT_EQ(a.size(), 100U);
  EXPECT_EQ(a[0], 1);
  a[99] = 4;
  a.resize(1);
  a.resize(100);
  EXPECT_EQ(a[99], 4);
}

TEST(array, agrees_with_the_standard_vector) {
  std::mt19937 random(1);
  Array<int> a;
  std::vector<int> v;
  for (int i = 0; i < 5000; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(random() % (v.size() + 1));
    switch (random() % 4) {
      case 0:
        a.push_back(i);
        v.push_back(i);
        break;
      case 1:
        a.insert(static_cast<std::size_t>(at), i);
        v.insert(v.begin() + at, i);
        break;
      case 2:
        if (at == std::ssize(v)) break;
        a.erase(static_cast<std::size_t>(at));
        v.erase(v.begin() + at);
        break;
      default:
        if (random() % 16 != 0) break;
        a.truncate(static_cast<std::size_t>(at));
        v.resize(static_cast<std::size_t>(at));
    }
    ASSERT_EQ(contents(a), v);
  }
}

TEST(storage, hands_out_blocks_that_are_aligned_and_do_not_overlap) {
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  unsigned char mark = 0;
  for (const std::size_t size : {1, 16, 17, 100, 4096, 5000, 1 << 20, 3 << 20, 24, 24}) {
    auto* block = static_cast<unsigned char*>(storage_take(size));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 16, 0U) << size;
    std::memset(block, ++mark, size);
    blocks.emplace_back(block, size);
  }
  mark = 0;
  for (const auto& [block, size] : blocks) {
    ++mark;
    EXPECT_EQ(block[0], mark);
    EXPECT_EQ(block[size - 1], mark);
    storage_give(block, size);
  }
}

TEST(storage, hands_out_again_what_was_given_back_to_whoever_asks_for_that_size) {
  void* block = storage_take(40000);
  storage_give(block, 40000);
  EXPECT_NE(storage_take(70000), block);
  EXPECT_EQ(storage_take(33000), block) << "the same power of two";
  EXPECT_NE(storage_take(33000), block) << "once";
}

TEST(storage, reserves_zeroed_memory) {
  const auto* p = static_cast<const unsigned char*>(storage_reserve(std::size_t{1} << 34));
  EXPECT_EQ(p[0], 0);
  EXPECT_EQ(p[(std::size_t{1} << 34) - 1], 0);
}

}  // namespace
}  // namespace fencepost::checker
