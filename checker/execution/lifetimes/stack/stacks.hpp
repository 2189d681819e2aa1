// SPDX-License-Identifier: MIT
// What is known of the stack of each thread in an execution.
#pragma once

#include <cstddef>
#include <cstdint>

#include "execution/lifetimes/stack/scope_log.hpp"
#include "execution/threads/thread.hpp"
#include "graph/storage.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {

// What another thread has written there plainly (own_stack.cpp).
struct StackWrite {
  std::uintptr_t word;
  unsigned char before[8];
  std::uint32_t index;  // events of the writing thread before it
  std::uint8_t thread;
  std::uint8_t mask;
};

// Bytes of atomic objects.
struct StackAtomic {
  std::uintptr_t word;
  std::uint8_t mask;
  unsigned char first[8];
  unsigned char last[8];
};

// A block, or, without a size, where the stack was when it was saved.
struct StackBlock {
  std::uintptr_t address;
  std::size_t size;
};

// Where in a range something has been.
struct Extent {
  std::uintptr_t begin = ~std::uintptr_t{0};
  std::uintptr_t end = 0;

  void add(std::uintptr_t address, std::size_t size) {
    if (address < begin) begin = address;
    if (address + size > end) end = address + size;
  }
  bool is_empty() const { return begin >= end; }
  Extent within(std::uintptr_t address, std::size_t size) const {
    return {begin > address ? begin : address, end < address + size ? end : address + size};
  }
};

// Of each thread. What is used in every execution comes first.
struct alignas(64) Stack {
  // The thread begins.
  void clear() {
    writes.clear();
    atomics.clear();
    blocks.clear();
    scopes.clear();
  }

  Array<StackWrite> writes;
  Array<StackAtomic> atomics;
  Array<StackBlock> blocks;
  // Words that other threads have come to, or where an atomic object lies, in any execution.
  Extent visited;
  Extent visited_variables;
  ScopeLog scopes;
};

// One object, for the checker's own are not destroyed where the program's are (process_end.cpp).
struct Stacks {
  Stack& operator[](unsigned thread) { return of[thread]; }
  // Has anybody been in the stack or the variables of that thread, in any execution?
  bool any_visited(unsigned thread) const { return (visited >> thread & 1) != 0; }

  Stack of[kMaxThreads];
  std::uint64_t visited = 0;  // a bit each
};

extern Stacks stacks;

// Another thread has come to the variables of the one that they belong to, or an atomic object
// lies among them.
inline void thread_is_visited(std::uintptr_t address, std::size_t size) {
  if (!regions::in_threads(address)) return;
  const unsigned thread = regions::thread_of(address);
  Stack& of = stacks[thread];
  stacks.visited |= std::uint64_t{1} << thread;
  Extent& where = regions::in_stacks(address) ? of.visited : of.visited_variables;
  where.add(address & ~std::uintptr_t{7}, (size + 7) / 8 * 8);
}
inline bool on_own_stack(const Thread& t, std::uintptr_t address) {
  return address >= t.stack_low && address < t.stack_top;
}

}  // namespace fencepost::checker
