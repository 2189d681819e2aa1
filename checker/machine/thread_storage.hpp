// SPDX-License-Identifier: MIT
// How the C library lays out what belongs to a thread, around the thread pointer: its own
// description of the thread on one side, the thread-local variables of the modules that the program
// started with on the other. Which is on which side depends on the processor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fencepost::checker::thread_storage {

// Offsets from the thread pointer; empty when both are zero.
struct Extent {
  std::intptr_t begin;
  std::intptr_t end;
  std::size_t size() const { return static_cast<std::size_t>(end - begin); }
  bool holds(std::intptr_t offset) const { return offset >= begin && offset < end; }
};

// Everything of a thread but its variables.
Extent descriptor();

// Are a module's variables, found here in the thread that the process started with, beside the
// thread pointer? Then every thread has them there from its start; others are allocated when first
// used.
bool beside(Extent variables);

// The table of where each module's variables are: pairs (address, to free), counted from 1. In pair
// -1 stands how many there is room for.
std::uintptr_t*& module_table(std::uintptr_t thread_pointer);

// Turns the references of a copied descriptor to itself to the copy.
void refer_to_itself(std::uintptr_t thread_pointer);

// No C library reserves more beside the thread pointer than this.
inline constexpr std::intptr_t kFarthest = std::intptr_t{1} << 15;

}  // namespace fencepost::checker::thread_storage
