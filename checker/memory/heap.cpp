// SPDX-License-Identifier: MIT
#include "memory/heap.hpp"

#include <algorithm>
#include <cstring>

#include "memory/regions.hpp"

namespace fencepost::checker {

std::size_t Heap::gap_behind(std::size_t size) {
  return std::clamp(size, kSmallestGap, kLargestGap);
}

void* Heap::allocate(unsigned thread, std::uint32_t index, std::size_t size, std::size_t alignment,
                     std::uint64_t pc) {
  Arena& arena = arenas_[thread];
  if (arena.next == 0) arena.next = begin(thread);
  if (alignment < 16) alignment = 16;
  const std::uintptr_t end = regions::heap(thread) + regions::kHeapSize;
  if (alignment > regions::kHeapSize) return nullptr;
  std::uintptr_t address = (arena.next + alignment - 1) & ~(alignment - 1);
  // No better aligned than was promised, so that a tag for which there is no room destroys a bit.
  if ((address & alignment) == 0) address += alignment;
  if (address > end || size > end - address || end - address - size < 2 * gap_behind(size)) {
    return nullptr;
  }
  arena.next = (address + size + gap_behind(size) + 7) & ~std::uintptr_t{7};
  arena.blocks.push_back(
      {address, size, pc, 0, 0, index, kMaxThreads, false, false, false, false, false});
  used_ |= std::uint64_t{1} << thread;
  return fill(address, size);
}

void* Heap::give_again(Block& block, std::size_t size, std::uint64_t pc) {
  block.size = size;
  block.allocated_at = pc;
  block.given_again = true;
  block.is_exception = false;
  block.is_mapped = false;
  block.freed_at = 0;
  block.freed_by = kMaxThreads;
  return fill(block.address, size);
}

void* Heap::fill(std::uintptr_t address, std::size_t size) const {
  auto* const p =
      static_cast<unsigned char*>(std::memset(reinterpret_cast<void*>(address), kFreshByte, size));
  if (other_contents_ == Contents::usual) return p;
  for (std::size_t i = 0; i < size; ++i) {
    p[i] = fresh_now(address + i);
  }
  return p;
}

void Heap::fill_where_otherwise(std::uintptr_t address, std::size_t size) const {
  if (other_contents_ == Contents::usual) return;
  for (std::uintptr_t a = address; a < address + size; ++a) {
    if (a - other_begin_ < other_size_) *reinterpret_cast<unsigned char*>(a) = fresh_now(a);
  }
}

Heap::Block* Heap::find(std::uintptr_t address) {
  if (!regions::in_heap(address)) return nullptr;
  Array<Block>& blocks = arenas_[(address - regions::kHeaps) / regions::kHeapSize].blocks;
  std::uint32_t low = 0;
  std::uint32_t high = blocks.size();
  while (low < high) {  // the last block that starts at or before the address
    const std::uint32_t middle = (low + high) / 2;
    if (blocks[middle].address <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return nullptr;
  Block& b = blocks[low - 1];
  return address - b.address < (b.size == 0 ? 1 : b.size) ? &b : nullptr;
}

void Heap::keep_startup() {
  Arena& arena = arenas_[0];
  startup_blocks_ = arena.blocks.size();
  startup_end_ = arena.next;
  for (Block& b : arena.blocks) b.startup = true;
  if (startup_end_ == 0) return;
  const std::size_t bytes = startup_end_ - begin(0);
  startup_copy_ = storage_take(bytes);
  std::memcpy(startup_copy_, reinterpret_cast<void*>(begin(0)), bytes);
}

void Heap::clear_arenas() {
  for (std::uint64_t left = used_; left != 0; left &= left - 1) {
    Arena& arena = arenas_[__builtin_ctzll(left)];
    arena.next = 0;
    arena.blocks.truncate(&arena == &arenas_[0] ? startup_blocks_ : 0);
  }
  used_ = 0;
}

void Heap::keep_prefix() {
  const Array<Block>& blocks = arenas_[0].blocks;
  prefix_blocks_.assign(blocks.data(), blocks.size());
  prefix_copy_.assign(reinterpret_cast<const char*>(begin(0)), size(0));
}

void Heap::resume_prefix() {
  clear_arenas();
  if (prefix_copy_.empty()) return;
  Arena& arena = arenas_[0];
  arena.next = begin(0) + prefix_copy_.size();
  arena.blocks.assign(prefix_blocks_.data(), prefix_blocks_.size());
  used_ = 1;
  std::memcpy(reinterpret_cast<void*>(begin(0)), prefix_copy_.data(), prefix_copy_.size());
}

void Heap::reset() {
  clear_arenas();
  if (startup_end_ == 0) return;
  Arena& arena = arenas_[0];
  arena.next = startup_end_;
  arena.blocks.resize(startup_blocks_);
  for (Block& b : arena.blocks) {
    b.freed_at = 0;
    b.reachable = false;
  }
  used_ = 1;
  std::memcpy(reinterpret_cast<void*>(begin(0)), startup_copy_, startup_end_ - begin(0));
}

}  // namespace fencepost::checker
