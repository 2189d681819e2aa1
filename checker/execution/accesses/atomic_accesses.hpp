// SPDX-License-Identifier: MIT
// Atomic operations.
#pragma once

#include <cstdint>

#include "execution/accesses/values.hpp"
#include "graph/event.hpp"

namespace fencepost::checker {

// `may_repeat`: called from an entry point that kept the registers, see loops.cpp.
Value atomic_load(std::uintptr_t address, unsigned size, Order order, std::uint64_t pc,
                  bool may_repeat);
void atomic_store(std::uintptr_t address, unsigned size, Value value, Order order,
                  std::uint64_t pc);
Value atomic_modify(Operation what, std::uintptr_t address, unsigned size, Value operand,
                    Order order, std::uint64_t pc);
bool atomic_compare_exchange(std::uintptr_t address, unsigned size, void* expected, Value desired,
                             Order success, Order failure, bool weak, std::uint64_t pc);
std::uint64_t fetch_add_nonatomic(std::uintptr_t address, unsigned size, std::uint64_t operand,
                                  std::uint64_t pc);

// Of a new one: races, and uses of dead memory.
// Of a read-modify-write also where it comes to write: that is made anew behind another one's, when
// others have gone on. A compare-exchange is looked at as a read before that, for it may fail.
void check_atomic_access(std::uintptr_t address, unsigned size, bool write, std::uint64_t pc);
// What an access read or wrote, be it of more than eight bytes.
Value whole_value(EventId id);

}  // namespace fencepost::checker
