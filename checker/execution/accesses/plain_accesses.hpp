// SPDX-License-Identifier: MIT
// Plain accesses, and where they meet atomic objects.
#pragma once

#include <cstddef>
#include <cstdint>

#include "execution/accesses/values.hpp"
#include "execution/execution.hpp"
#include "execution/loops/unseen_code.hpp"
#include "graph/storage.hpp"
#include "memory/shadow.hpp"

namespace fencepost::checker {

struct PlainAccesses {
  void new_execution(bool traces);

  Array<PendingWrite> pending[kMaxThreads];
  bool passes = true;          // it is neither looked closely, nor noted what has been read
  bool looks_closely = false;  // tracing, with twins, or to step aside: at every plain access
  bool is_to_step_aside = false;
  // In samples: a hash of the plain accesses of an execution, thread by thread.
  bool tracing = false;
  std::uint64_t trace[kMaxThreads] = {};
};

extern PlainAccesses plain_accesses;

// Did it take more than passing by?
bool plain_access(std::uintptr_t address, std::size_t size, bool write, std::uint64_t pc);
void padding_access(std::uintptr_t address, std::size_t size, std::uint64_t pc);
// A notification of who waits at an atomic object.
void notifies(std::uintptr_t address, std::size_t size, std::uint64_t pc);
// A word of a lock that is read by whoever uses the lock, and by nobody in another way.
void look_at_word(std::uintptr_t word, std::size_t size, std::uint64_t pc);
// A wait's last use of the object that it waits at (sync/misuse.hpp).
void uses_last(std::uint64_t pc);
void note_coverage(Cell* cell, const PlainAccess& access);  // execution/accesses/coverage.hpp

// The next plain access steps aside. By a signal handler.
void ask_to_step_aside();
void step_aside_if_asked();

// What the current thread has done since its last operation: its plain writes to atomic objects,
// and calls (unseen_code.cpp).
void pick_up_plain_writes();
inline void settle_plain_writes() {
  if (fencepost_unseen_calls != 0) [[unlikely]]
    notice_calls();
  if (execution.current->has_pending) pick_up_plain_writes();
}

}  // namespace fencepost::checker
