// SPDX-License-Identifier: MIT
// notify_one() and notify_all() of std::atomic and its kin, beside what the library's own code does
// for them: it accesses nothing of the object, and may not be called when that is gone.
#include <cstdint>

#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "interface/entry.hpp"
#include "sync/futures.hpp"

namespace checker = fencepost::checker;

using fencepost::checker::execution;

extern "C" {

// Called from the header as it is changed: library_waits.py.
void fencepost_atomic_notified(const void* object, std::size_t size) {
  if (!checker::exploring()) return;
  checker::notifies(checker::address_of(object), size, FENCEPOST_PC());
}

void fencepost_library_is_trusted() noexcept {
  if (checker::exploring()) execution.counters.library_trusted = 1;
}

void fencepost_future_wait(const void* state, unsigned ready) {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  if (!checker::exploring()) {
    if ((*static_cast<const unsigned*>(state) & ready) != 0) return;
    execution.unsupported(pc, "a wait before main for a future that is not ready");
  }
  checker::wait_for_future(checker::address_of(state), ready, pc);
}

}  // extern "C"
