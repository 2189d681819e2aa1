// SPDX-License-Identifier: MIT
// What all entry points share.
#pragma once

#include <cstdint>

#include "program/call_sites.hpp"
#include "program/runtime.hpp"
#include "program/unseen_code.hpp"

#define FENCEPOST_PC() reinterpret_cast<std::uint64_t>(__builtin_return_address(0))

namespace fencepost::checker {

// Before main and after the last execution, entry points act on memory directly.
inline bool exploring() { return runtime.active; }

// Of an entry point that may add events: clears away what the checker leaves on the program's
// stack. What has been written unseen since the last one is noticed.
class LeaveNoTrace {
 public:
  [[gnu::always_inline]] LeaveNoTrace() : LeaveNoTrace(FENCEPOST_PC()) {}
  [[gnu::always_inline]] explicit LeaveNoTrace(std::uint64_t pc) {
    if (!exploring()) return;
    runtime.entered_from = pc;
    if (has_unseen_code()) runtime.notice_unseen_writes();
    if (fencepost_unseen_calls != 0) runtime.notice_calls();
  }
  LeaveNoTrace(const LeaveNoTrace&) = delete;
  LeaveNoTrace& operator=(const LeaveNoTrace&) = delete;
  ~LeaveNoTrace() {
    if (!exploring()) return;
    wipe_stack(runtime.stack_used);
    runtime.stack_used = kReplayUses;
    if (has_unseen_code()) runtime.leave_memory();
  }
};

// Whether a call was told to order nothing, or is made inside of one that was.
inline bool orders_nothing(std::uint64_t pc) {
  return call_sites.watching() &&
         (runtime.current->unordered_depth != 0 || call_sites.orders_nothing(pc));
}

inline std::uintptr_t address_of(const volatile void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

}  // namespace fencepost::checker
