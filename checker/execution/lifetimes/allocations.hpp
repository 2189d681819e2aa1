// SPDX-License-Identifier: MIT
// Memory of the heap before anybody has written it.
#pragma once

#include <cstdint>

#include "memory/heap.hpp"
#include "memory/shadow.hpp"

namespace fencepost::checker {

// The current thread accesses the block: does it know that it has been allocated?
void must_know_allocation(const Heap::Block& block, std::uintptr_t address, bool write,
                          const char* what, std::uint64_t pc);
// It comes to bytes of a cell that nobody has written in this execution.
[[gnu::noinline]] void come_to_unwritten(Cell* cell, std::uintptr_t address, std::uint8_t mask,
                                         bool write, std::uint64_t pc);

}  // namespace fencepost::checker
