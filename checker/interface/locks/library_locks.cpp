// SPDX-License-Identifier: MIT
// What POSIX allows of a lock and the standard does not of the C++ library's class around it: to
// try a mutex that one holds, to lock a read-write lock a second time to read, to unlock it in the
// other way. The headers as they are changed (library_waits.py) ask here before they call POSIX.
#include <pthread.h>

#include <algorithm>

#include "execution/execution.hpp"
#include "interface/entry.hpp"
#include "sync/locks/mutexes.hpp"
#include "sync/locks/read_write_locks.hpp"
#include "sync/locks/together.hpp"

namespace checker = fencepost::checker;
using checker::execution;

namespace {

enum class LibraryLock { tries_mutex, takes_shared_mutex, unlocks, unlocks_shared };
enum class Locked { first, all, one };

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

// Of std::lock, by the headers as they are changed: which of the mutexes the caller is to lock, as
// number + 1, or `count` + 1, which is all of them; 0: the library's own code is to.
int fencepost_lock_together(pthread_mutex_t* const* mutexes, int count) {
  constexpr int kMost = 16;
  if (!checker::exploring() || count > kMost) return 0;
  std::uintptr_t addresses[kMost];
  for (int i = 0; i < count; ++i) {
    if (mutexes[i] == nullptr) return 0;
    addresses[i] = checker::address_of(mutexes[i]);
    // What goes wrong is told of the library's own attempts.
    if (checker::mutex_owner(addresses[i]) == execution.current->id + 1U) return 0;
    if (std::find(addresses, addresses + i, addresses[i]) != addresses + i) return 0;
  }
  const auto several = static_cast<unsigned>(count);
  return static_cast<int>(checker::taken_together.begin(addresses, several, FENCEPOST_PC()));
}

// It has locked: the first of all, all, or the one that it was to lock alone.
void fencepost_locked_together(int how) {
  switch (static_cast<Locked>(how)) {
    case Locked::first:
      return checker::taken_together.has_first();
    case Locked::all:
      return checker::taken_together.has_all();
    case Locked::one:
      checker::taken_together.has_one(FENCEPOST_PC());
  }
}

}  // extern "C"
