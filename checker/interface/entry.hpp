// SPDX-License-Identifier: MIT
// What all entry points share.
#pragma once

#include <cstdint>

#include "execution/call_sites.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/stack/stack_blocks.hpp"
#include "execution/loops/unseen_code.hpp"
#include "memory/regions.hpp"

#define FENCEPOST_PC() reinterpret_cast<std::uint64_t>(__builtin_return_address(0))
// The stack of the code that calls: what is its own lies there or above.
#define FENCEPOST_STACK() reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa())

namespace fencepost::checker {

// Before main and after the last execution, entry points act on memory directly.
inline bool exploring() { return execution.active; }

// The numbers of __ATOMIC_RELAXED .. __ATOMIC_SEQ_CST; consume is acquire, hints are dropped.
inline Order order_of(int number) {
  constexpr unsigned kConsume = 1;
  constexpr auto kLast = static_cast<unsigned>(Order::seq_cst);
  const unsigned n = static_cast<unsigned>(number) & 0xffff;
  if (n == kConsume) execution.counters.consumed = 1;
  return static_cast<Order>(n <= kConsume ? n + 1 : n < kLast ? n : kLast);
}

// Of an entry point that may add events: clears away what the checker leaves on the program's
// stack. What has been written unseen since the last one is noticed.
class LeaveNoTrace {
 public:
  [[gnu::always_inline]] LeaveNoTrace() : LeaveNoTrace(FENCEPOST_PC()) {}
  [[gnu::always_inline]] explicit LeaveNoTrace(std::uint64_t pc) {
    if (!exploring()) return;
    execution.entered_from = pc;
    if (has_unseen_code()) notice_unseen_writes();
    if (fencepost_unseen_calls != 0) notice_calls();
  }
  LeaveNoTrace(const LeaveNoTrace&) = delete;
  LeaveNoTrace& operator=(const LeaveNoTrace&) = delete;
  ~LeaveNoTrace() {
    if (!exploring()) return;
    wipe_stack(execution.stack_used);
    execution.stack_used = kReplayUses;
    if (has_unseen_code()) leave_memory();
  }
};

// Whether a call was told to order nothing, or is made inside of one that was.
inline bool orders_nothing(std::uint64_t pc) {
  return call_sites.watching() &&
         (execution.current->unordered_depth != 0 || call_sites.orders_nothing(pc));
}

inline std::uintptr_t address_of(const volatile void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

// An access to what may lie below the stack.
[[gnu::always_inline]] inline void check_stack(const volatile void* p, std::uintptr_t stack,
                                               std::uint64_t pc) {
  if (stack - 1 - address_of(p) < regions::kStackSize) [[unlikely]] {
    must_not_be_left(address_of(p), stack, pc);
  }
}

}  // namespace fencepost::checker
