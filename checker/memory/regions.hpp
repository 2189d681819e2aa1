// SPDX-License-Identifier: MIT
// Where the memory of the program under test lies: thread-local storage, stacks and heaps in one
// reserved region, the same addresses in every execution.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/event.hpp"

namespace fencepost::checker::regions {

inline constexpr std::uintptr_t kBase = 0x200000000000;
inline constexpr std::size_t kTlsSize = std::size_t{64} << 10;   // each thread
inline constexpr std::size_t kStackSize = std::size_t{8} << 20;  // each thread
inline constexpr std::size_t kMainStackSize = std::size_t{8} << 20;
inline constexpr std::size_t kGuard = std::size_t{64} << 10;     // below each stack
inline constexpr std::size_t kHeapSize = std::size_t{64} << 20;  // each thread

inline constexpr std::uintptr_t kTls = kBase;
inline constexpr std::uintptr_t kStacks = kTls + kMaxThreads * kTlsSize;
inline constexpr std::uintptr_t kHeaps =
    kStacks + kMainStackSize + kMaxThreads * (kStackSize + kGuard) + kGuard;
inline constexpr std::uintptr_t kEnd = kHeaps + kMaxThreads * kHeapSize;

constexpr std::uintptr_t tls(unsigned thread) { return kTls + thread * kTlsSize; }
constexpr std::uintptr_t stack_low(unsigned thread) {
  return thread == 0
             ? kStacks + kGuard
             : kStacks + kMainStackSize + kGuard + (thread - 1) * (kStackSize + kGuard) + kGuard;
}
// Not at the same place of their pages for each thread: a processor's first cache holds no more
// than eight or twelve lines of one place. So of some threads' stacks up to 4 KiB are not used.
constexpr std::uintptr_t stack_top(unsigned thread) {
  return stack_low(thread) + (thread == 0 ? kMainStackSize : kStackSize) - thread % 16 * 256;
}
// Of an address on some thread's stack, or on the guard below it.
constexpr unsigned thread_of_stack(std::uintptr_t a) {
  constexpr std::uintptr_t others = kStacks + kMainStackSize + kGuard;
  return a < others ? 0 : 1 + static_cast<unsigned>((a - others) / (kStackSize + kGuard));
}
constexpr std::uintptr_t heap(unsigned thread) { return kHeaps + thread * kHeapSize; }
// Whose heap an address lies in.
constexpr unsigned thread_of_heap(std::uintptr_t a) {
  return static_cast<unsigned>((a - kHeaps) / kHeapSize);
}
constexpr bool in_heap(std::uintptr_t a) { return a >= kHeaps && a < kEnd; }
constexpr bool in_stacks(std::uintptr_t a) { return a >= kStacks && a < kHeaps; }
// Thread-local variables, except those of the main thread, and stacks.
constexpr bool in_threads(std::uintptr_t a) { return a >= kTls && a < kHeaps; }
constexpr unsigned thread_of(std::uintptr_t a) {
  return a < kStacks ? static_cast<unsigned>((a - kTls) / kTlsSize) : thread_of_stack(a);
}

}  // namespace fencepost::checker::regions
