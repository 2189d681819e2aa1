// SPDX-License-Identifier: MIT
#include "memory/heap.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "memory/regions.hpp"

namespace fencepost::checker {
namespace {

class heap : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    using namespace regions;
    void* p = mmap(reinterpret_cast<void*>(kHeaps), kEnd - kHeaps, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    ASSERT_EQ(p, reinterpret_cast<void*>(kHeaps));
  }
  static void TearDownTestSuite() {
    munmap(reinterpret_cast<void*>(regions::kHeaps), regions::kEnd - regions::kHeaps);
  }

  std::uintptr_t take(unsigned thread, std::size_t size, std::size_t alignment = 16,
                      std::uint64_t pc = 1) {
    return reinterpret_cast<std::uintptr_t>(heap_->allocate(thread, 0, size, alignment, pc));
  }

  std::unique_ptr<Heap> heap_ = std::make_unique<Heap>();
};

TEST_F(heap, addresses_depend_only_on_what_the_thread_allocated_before) {
  const std::vector<std::size_t> sizes{1, 16, 17, 0, 1000, 8};
  std::vector<std::uintptr_t> first;
  std::vector<std::uintptr_t> second;
  for (const std::size_t size : sizes) first.push_back(take(1, size));
  for (const std::size_t size : sizes) second.push_back(take(2, size));
  heap_->reset();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(take(2, sizes[i]), second[i]);
    EXPECT_EQ(take(1, sizes[i]), first[i]);
    take(3, 24);
  }
  heap_ = std::make_unique<Heap>();
  for (std::size_t i = 0; i < sizes.size(); ++i) EXPECT_EQ(take(1, sizes[i]), first[i]);
}

TEST_F(heap, every_thread_has_a_region_of_its_own) {
  for (unsigned thread = 0; thread < kMaxThreads; ++thread) {
    const std::uintptr_t a = take(thread, 100);
    EXPECT_GE(a, regions::heap(thread) + 16);
    EXPECT_LE(a + 100, regions::heap(thread) + regions::kHeapSize);
    EXPECT_TRUE(regions::in_heap(a));
    ASSERT_EQ(heap_->blocks(thread).size(), 1U);
    EXPECT_EQ(heap_->blocks(thread)[0].address, a);
  }
}

TEST_F(heap, blocks_are_aligned_as_asked_and_at_least_as_malloc_does) {
  for (const std::size_t alignment : {1, 8, 16, 32, 64, 4096, 1 << 20}) {
    take(0, 3);
    EXPECT_EQ(take(0, 5, alignment) % alignment, 0U);
    EXPECT_EQ(take(0, 5, alignment) % 16, 0U);
  }
}

TEST_F(heap, an_alignment_that_leaves_no_room_is_refused) {
  for (std::size_t alignment = 1 << 20; alignment != 0; alignment *= 2) {
    for (unsigned thread = 0; thread < kMaxThreads; ++thread) {
      const std::uintptr_t a = take(thread, 16, alignment);
      if (a == 0) continue;
      EXPECT_EQ(a % alignment, 0U);
      EXPECT_GE(a, regions::heap(thread));
      EXPECT_LE(a + 16, regions::heap(thread) + regions::kHeapSize);
    }
  }
}

TEST_F(heap, fresh_memory_has_the_same_contents_in_every_execution) {
  for (int execution = 0; execution < 2; ++execution) {
    auto* p = reinterpret_cast<unsigned char*>(take(0, 40));
    for (int i = 0; i < 40; ++i) EXPECT_EQ(p[i], 0xBE);
    std::memset(p, execution, 40);
    heap_->reset();
  }
}

TEST_F(heap, a_block_is_found_by_each_of_its_bytes_and_by_no_other) {
  std::vector<std::uintptr_t> addresses;
  std::vector<std::size_t> sizes;
  for (const std::size_t size : {1, 7, 8, 16, 24, 33, 64, 100}) {
    addresses.push_back(take(1, size));
    sizes.push_back(size);
  }
  const std::uintptr_t end = addresses.back() + sizes.back() + 32;
  std::vector<Heap::Block*> expected(end - regions::heap(1), nullptr);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Heap::Block* b = heap_->find(addresses[i]);
    ASSERT_NE(b, nullptr);
    EXPECT_EQ(b->address, addresses[i]);
    EXPECT_EQ(b->size, sizes[i]);
    for (std::size_t k = 0; k < sizes[i]; ++k) expected[addresses[i] + k - regions::heap(1)] = b;
  }
  for (std::uintptr_t a = regions::heap(1); a < end; ++a) {
    EXPECT_EQ(heap_->find(a), expected[a - regions::heap(1)]) << a - regions::heap(1);
  }
}

TEST_F(heap, sixteen_bytes_on_both_sides_of_a_block_belong_to_nobody) {
  for (const std::size_t size : {0, 1, 15, 16, 40, 41}) {
    const std::uintptr_t a = take(0, size);
    take(0, 8);
    for (std::uintptr_t i = 1; i <= 16; ++i) EXPECT_EQ(heap_->find(a - i), nullptr) << size;
    for (std::uintptr_t i = size == 0 ? 1 : size; i < size + 16; ++i) {
      EXPECT_EQ(heap_->find(a + i), nullptr) << size;
    }
  }
}

TEST_F(heap, an_empty_block_has_an_address_of_its_own) {
  const std::uintptr_t a = take(0, 0);
  const std::uintptr_t b = take(0, 0);
  EXPECT_NE(a, b);
  ASSERT_NE(heap_->find(a), nullptr);
  EXPECT_EQ(heap_->find(a)->size, 0U);
  EXPECT_EQ(heap_->find(a + 1), nullptr);
}

TEST_F(heap, nothing_is_found_where_nothing_was_allocated) {
  take(1, 8);
  int local = 0;
  EXPECT_EQ(heap_->find(reinterpret_cast<std::uintptr_t>(&local)), nullptr);
  EXPECT_EQ(heap_->find(0), nullptr);
  EXPECT_EQ(heap_->find(regions::heap(0)), nullptr);
  EXPECT_EQ(heap_->find(regions::heap(2) + 64), nullptr);
  EXPECT_EQ(heap_->find(regions::kHeaps - 1), nullptr);
  EXPECT_EQ(heap_->find(regions::kEnd), nullptr);
}

TEST_F(heap, freed_memory_is_remembered_and_not_handed_out_again) {
  const std::uintptr_t a = take(0, 32, 16, 111);
  EXPECT_EQ(heap_->find(a)->allocated_at, 111U);
  EXPECT_EQ(heap_->find(a)->freed_at, 0U);
  heap_->find(a)->freed_at = 222;
  for (int i = 0; i < 100; ++i) EXPECT_NE(take(0, 32), a);
  ASSERT_NE(heap_->find(a + 31), nullptr);
  EXPECT_EQ(heap_->find(a + 31)->freed_at, 222U);
}

TEST_F(heap, a_region_that_is_full_says_so_and_can_still_serve_less) {
  EXPECT_EQ(take(1, regions::kHeapSize), 0U);
  EXPECT_EQ(take(1, SIZE_MAX), 0U);
  EXPECT_EQ(take(1, SIZE_MAX - 64), 0U);
  unsigned blocks = 0;
  std::uintptr_t last = 0;
  while (const std::uintptr_t a = take(1, std::size_t{1} << 20)) {
    last = a;
    ++blocks;
  }
  EXPECT_EQ(blocks, 63U);
  EXPECT_LE(last + (std::size_t{1} << 20), regions::heap(2));
  EXPECT_NE(take(1, 100), 0U);
  EXPECT_NE(take(2, 100), 0U) << "another thread is not concerned";
  heap_->reset();
}

TEST_F(heap, what_an_execution_allocated_is_gone_with_it) {
  const std::uintptr_t a = take(0, 8);
  const std::uintptr_t b = take(5, 8);
  heap_->reset();
  EXPECT_EQ(heap_->find(a), nullptr);
  EXPECT_EQ(heap_->find(b), nullptr);
  EXPECT_TRUE(heap_->blocks(5).empty());
}

TEST_F(heap, what_was_there_before_main_is_put_back_as_it_was) {
  const std::uintptr_t a = take(0, 8, 16, 11);
  const std::uintptr_t b = take(0, 8, 16, 12);
  std::memcpy(reinterpret_cast<void*>(a), "startup", 8);
  heap_->keep_startup();
  const std::uintptr_t next = take(0, 8);
  EXPECT_GT(next, b);
  for (int execution = 0; execution < 3; ++execution) {
    EXPECT_TRUE(heap_->find(a)->startup);
    std::memcpy(reinterpret_cast<void*>(a), "changed", 8);
    heap_->find(b)->freed_at = 99;
    EXPECT_FALSE(heap_->find(take(1, 8))->startup);
    heap_->reset();
    EXPECT_STREQ(reinterpret_cast<const char*>(a), "startup");
    ASSERT_NE(heap_->find(b), nullptr);
    EXPECT_EQ(heap_->find(b)->freed_at, 0U);
    EXPECT_EQ(heap_->find(b)->allocated_at, 12U);
    EXPECT_EQ(heap_->blocks(0).size(), 2U);
    EXPECT_TRUE(heap_->blocks(1).empty());
    EXPECT_EQ(heap_->find(next), nullptr);
    EXPECT_EQ(take(0, 8), next) << "an execution goes on where startup ended";
    EXPECT_FALSE(heap_->find(next)->startup);
  }
}

TEST_F(heap, without_allocations_before_main_the_first_thread_starts_afresh) {
  heap_->keep_startup();
  const std::uintptr_t a = take(0, 8);
  heap_->reset();
  EXPECT_TRUE(heap_->blocks(0).empty());
  EXPECT_EQ(take(0, 8), a);
}

}  // namespace
}  // namespace fencepost::checker
