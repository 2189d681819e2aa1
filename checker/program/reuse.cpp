// SPDX-License-Identifier: MIT
// With --reuse, memory that was freed is given out again: an address comes back, as real allocators
// see to, which keep what a thread has freed at hand for the next block of that size. Whether one
// does so is explored.
//
// To be given a block is a plain write to all of it. So who still uses it as what it was before,
// and is not known to have done so before it was freed, races with that or with the free.
#include "program/runtime.hpp"

namespace fencepost::checker {
namespace {

// Blocks of one class are as good for each other.
std::size_t size_class(std::size_t size) { return (size + 15) / 16; }

}  // namespace

void Runtime::may_reuse(std::uintptr_t address) {
  if (options.reuse != 0) freed_[current->id].push_back(address);
}

void* Runtime::reuse(std::size_t size, std::size_t alignment, std::uint64_t pc) {
  Thread& t = *current;
  if (t.reuses_taken >= options.reuse) return nullptr;
  Array<std::uintptr_t>& freed = freed_[t.id];
  for (std::uint32_t i = freed.size(); i-- > 0;) {
    const std::uintptr_t address = freed[i];
    Heap::Block* block = heap.find(address);
    if (block == nullptr || size_class(block->size) != size_class(size) ||
        address % alignment != 0) {
      continue;
    }
    if (choose(What::reuses_memory, 2, pc) == 0) return nullptr;
    ++t.reuses_taken;
    for (std::uint32_t k = i + 1; k < freed.size(); ++k) freed[k - 1] = freed[k];
    freed.pop_back();
    const std::size_t before = block->size;
    void* const again = heap.give_again(*block, t.cursor, size, pc);
    lives_again(address, before > size ? before : size, pc);
    return again;
  }
  return nullptr;
}

// Of bytes whose life has ended: that is forgotten, and the current thread writes them.
void Runtime::lives_again(std::uintptr_t address, std::size_t size, std::uint64_t pc) {
  const std::uintptr_t end = address + size;
  for (std::uintptr_t a = address; a < end; a = (a | 7) + 1) {
    const std::size_t bytes = end - a < 8 - (a & 7) ? end - a : 8 - (a & 7);
    bool fresh;
    Cell* cell = shadow.cell(a, &fresh);
    if (cell == nullptr) return;
    cell->count = 0;
    cell->overflowing = false;
    cell->unwritten = byte_mask(a & 7, bytes);
    shadow.keep(cell,
                PlainAccess::of(current->cursor, current->id, byte_mask(a & 7, bytes), true, pc),
                clock());
  }
}

}  // namespace fencepost::checker
