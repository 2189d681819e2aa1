// SPDX-License-Identifier: MIT
// A thread's stack, of which other threads know a part.
#pragma once

#include <cstdint>

#include "execution/accesses/values.hpp"
#include "memory/shadow.hpp"

namespace fencepost::checker {

// A hash of the current thread's stack from an address up, as the thread knows it.
std::uint64_t hash_own_stack(std::uint64_t h, std::uintptr_t from);
// It is cut off in a loop that began with its event `since`, believing that nobody else looks at
// what it has written to its stack in between.
void believe_private(std::uint32_t since);
// Of an atomic access to the current thread's stack, its last event, that found `found` where
// memory held `before`: has something been written there that was not announced?
bool written_unannounced(std::uintptr_t address, Value before, Value found);
// It comes to a plain access of some bytes of a word on another thread's stack.
void visit_stack(Cell* cell, std::uintptr_t address, std::uint8_t mask, bool write,
                 std::uint64_t pc);
// Sets bytes of an atomic object as an atomic access leaves them, or has left them.
void to_memory(std::uintptr_t address, unsigned size, Value value);

}  // namespace fencepost::checker
