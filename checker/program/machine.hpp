// SPDX-License-Identifier: MIT
// The few things that depend on the processor: switching stacks, the thread pointer, and capturing
// the registers that a call preserves.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fencepost::checker {

// The registers that a function must preserve, as they were when the program called an entry point
// that looks for repeated states; written by the entry stubs.
struct SavedRegisters {
  std::uint64_t stack;  // address just above the return address
  std::uint64_t preserved[12];
};
extern "C" SavedRegisters fencepost_saved_registers;

// Saves the current stack in *save and continues on `load`.
extern "C" void fencepost_switch_stack(void** save, void* load);

// A stack pointer that, switched to, asks fencepost_thread_begins what to call, calls it with all
// preserved registers zero (they end up on the stack, and stacks are compared), and passes its result
// to fencepost_thread_ends.
void* prepare_stack(void* top);

struct ThreadCall {
  void* argument;
  void* (*function)(void*);
};
extern "C" ThreadCall fencepost_thread_begins();
extern "C" [[noreturn]] void fencepost_thread_ends(void* result);

// The register through which the compiler finds thread-local variables.
bool thread_pointer_is_writable();
std::uintptr_t thread_pointer();
void set_thread_pointer(std::uintptr_t value);

}  // namespace fencepost::checker
