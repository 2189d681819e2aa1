// SPDX-License-Identifier: MIT
// What POSIX allows of a lock and the standard does not of the C++ library's class around it: to
// try a mutex that one holds, to lock a read-write lock a second time to read, to unlock it in the
// other way. The headers as they are changed (library_waits.py) ask here before they call POSIX.
#include <pthread.h>

#include "execution/execution.hpp"
#include "interface/entry.hpp"
#include "sync/locks/mutexes.hpp"
#include "sync/locks/read_write_locks.hpp"

namespace checker = fencepost::checker;
using checker::execution;

namespace {

enum class LibraryLock { tries_mutex, takes_shared_mutex, unlocks, unlocks_shared };

void must_not(const char* what, const void* lock, std::uint64_t pc) {
  execution.violate("memory", pc, "thread %u %s (address 0x%lx), which the standard forbids",
                    execution.current->id, what,
                    static_cast<unsigned long>(checker::address_of(lock)));
}

}  // namespace

extern "C" {

void fencepost_library_lock(const void* lock, int use) {
  if (!checker::exploring()) return;
  const std::uint64_t pc = FENCEPOST_PC();
  const auto address = checker::address_of(lock);
  const auto does = static_cast<LibraryLock>(use);
  if (does == LibraryLock::tries_mutex) {
    if (checker::mutex_owner(address) == execution.current->id + 1U)
      must_not("tries to lock a mutex that it holds", lock, pc);
    return;
  }
  const checker::RwlockHeld held = checker::rwlock_held({address, false});
  switch (does) {
    case LibraryLock::takes_shared_mutex:
      if (held.writing || held.reading != 0)
        must_not("locks a shared mutex that it holds", lock, pc);
      break;
    case LibraryLock::unlocks:
      if (held.reading != 0)
        must_not("calls unlock of a shared mutex that it holds shared", lock, pc);
      break;
    default:
      if (held.writing)
        must_not("calls unlock_shared of a shared mutex that it holds exclusively", lock, pc);
  }
}

}  // extern "C"
