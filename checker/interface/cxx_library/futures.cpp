// SPDX-License-Identifier: MIT
// Waiting for a future without a limit (sync/futures.cpp).
#include "sync/futures.hpp"

#include <cstdint>

#include "execution/execution.hpp"
#include "interface/entry.hpp"

namespace checker = fencepost::checker;
using checker::execution;

// Called from the header as it is changed: library_waits.py.
extern "C" void fencepost_future_wait(const void* state, unsigned ready) {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  if (!checker::exploring()) {
    if ((*static_cast<const unsigned*>(state) & ready) != 0) return;
    execution.unsupported(pc, "a wait before main for a future that is not ready");
  }
  checker::wait_for_future(checker::address_of(state), ready, pc);
}
