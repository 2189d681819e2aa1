// SPDX-License-Identifier: MIT
// The end of memory's life, and what comes after it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/storage.hpp"
#include "memory/heap.hpp"
#include "memory/shadow.hpp"

namespace fencepost::checker {

struct Extent;

// What a thread has ended the life of, after so many events of its own.
struct EndOfLife {
  std::uintptr_t address;
  std::size_t size;
  std::uint32_t index;
  unsigned thread;
  std::uint64_t pc;
};

extern Array<EndOfLife> destroyed_objects;  // static objects, in this execution

// The end of a heap block, or of a static object's lifetime.
void end_life(std::uintptr_t address, std::size_t size, std::uint64_t pc);
// The current thread ends, and with it its variables.
void end_variables();
// Who may still access what ends its life here? `for_good`: each access to what has been accessed
// is an error from now on.
void look_for_users(std::uintptr_t address, std::size_t size, std::uint64_t pc, const char* ends,
                    bool for_good);
// ... where somebody else has been on the current thread's stack.
void look_for_visitors(const Extent& visited, std::uint64_t pc, const char* ends);

// A destructor has done all that it does: the object is no more, though its memory is. Accesses
// that are not ordered with that race with it. Those that come after it are judged as those of
// memory that something else may live in.
void end_object(std::uintptr_t address, std::size_t size, std::uint64_t pc);

// The block that is accessed; it is a violation if there is none, or, for `check_heap`, if it has
// been freed.
Heap::Block& heap_block(std::uintptr_t address, const char* what, std::uint64_t pc);
const Heap::Block& check_heap(std::uintptr_t address, const char* what, std::uint64_t pc);
// The first access of a cell in this execution.
void come_first(Cell* cell, std::uintptr_t address, const char* what, std::uint64_t pc);
void keep_outside(Cell* cell, std::uintptr_t address, const Heap::Block& block);

}  // namespace fencepost::checker
