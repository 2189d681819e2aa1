// SPDX-License-Identifier: MIT
// notify_one() and notify_all() of std::atomic and its kin, beside what the library's own code does
// for them: it accesses nothing of the object, and may not be called when that is gone.
#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "interface/entry.hpp"

namespace checker = fencepost::checker;

extern "C" {

// Called from the header as it is changed: library_waits.py.
void fencepost_atomic_notified(const void* object, std::size_t size) {
  if (!checker::exploring()) return;
  checker::notifies(checker::address_of(object), size, FENCEPOST_PC());
}

}  // extern "C"
