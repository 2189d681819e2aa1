// SPDX-License-Identifier: MIT
// Memory of the heap before anybody has written it.
//
// To allocate a block is to write all of it: the life of what lies there begins. So an access that
// this does not happen before races with it, as where the block's address has been published by a
// relaxed store. Once somebody has written a byte plainly, whoever does not know of the allocation
// does not know of that write either and races with it, or has been told here. Only atomic accesses
// do not race with each other, so each new one asks.
#include "execution/lifetimes/allocations.hpp"

#include "execution/deferred_violations.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/lifetimes.hpp"
#include "execution/lifetimes/uninitialised.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {
namespace {

// Does memory hold in one of these bytes of the cell what it held as the block was allocated?
bool has_fresh_byte(std::uintptr_t address, std::uint8_t mask) {
  const std::uintptr_t first = address & ~std::uintptr_t{7};
  for (unsigned b = 0; b < 8; ++b) {
    if ((mask >> b & 1) != 0 && execution.heap.is_fresh(first + b)) return true;
  }
  return false;
}

}  // namespace

void must_know_allocation(const Heap::Block& block, std::uintptr_t address, bool write,
                          const char* what, std::uint64_t pc) {
  const unsigned by = regions::thread_of_heap(block.address);
  // A block that is given again has been written as a whole for that (reuse.cpp).
  if (block.startup || block.given_again || by == execution.current->id ||
      execution.clock()[by] > block.allocated_index)
    return;
  const auto mask = bytes_in(address, address, 1);
  const auto allocation =
      PlainAccess::of(block.allocated_index, by, mask, true, block.allocated_at);
  const auto now =
      PlainAccess::of(execution.current->cursor, execution.current->id, mask, write, pc);
  suspect("data-race", allocation, now, false, address, pc,
          "%s races with the allocation of its block by thread %u (address 0x%lx, other pc 0x%lx)",
          what, by, static_cast<unsigned long>(address),
          static_cast<unsigned long>(block.allocated_at));
}

// The current thread comes to bytes of a cell that nobody has written in this execution.
void come_to_unwritten(Cell* cell, std::uintptr_t address, std::uint8_t mask, bool write,
                       std::uint64_t pc) {
  if (regions::in_heap(address) && regions::thread_of_heap(address) != execution.current->id) {
    const Heap::Block& block = heap_block(address, write ? "write" : "read", pc);
    must_know_allocation(block, address, write, write ? "a plain write" : "a plain read", pc);
  }
  const std::uint8_t fresh = mask & cell->unwritten;
  // What an object has left is as it was: nothing shows that nobody has written there since.
  const PlainAccess* const end = execution.shadow.end_of_object(cell, fresh);
  if (!write && (end != nullptr || has_fresh_byte(address, fresh))) {
    uninitialised.note_read(address, static_cast<unsigned>(__builtin_popcount(fresh)), pc,
                            end == nullptr ? 0 : end->pc);
  }
  if (write) cell->unwritten &= static_cast<std::uint8_t>(~mask);
}

}  // namespace fencepost::checker
