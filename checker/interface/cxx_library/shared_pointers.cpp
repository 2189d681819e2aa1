// SPDX-License-Identifier: MIT
// std::atomic_load and its kin of a std::shared_ptr. libstdc++ makes them of locks, one of sixteen
// that it draws by the address. Here each pointer has its own: what two that share a lock
// would learn of each other is promised by nobody. What a compare-exchange expects is the caller's
// own, and takes no lock.
//
// A std::atomic<std::shared_ptr> has a lock in itself. Its code is the library's, but that it lets
// go of the lock as the standard wants it (library_waits.py).
#include "execution/execution.hpp"
#include "interface/threads/threads.hpp"
#include "sync/locks/mutexes.hpp"

namespace checker = fencepost::checker;
using checker::execution;

namespace {

void lock(const void* pointer, std::uint64_t pc) {
  const checker::LeaveNoTrace clean;
  if (!checker::exploring()) return;
  execution.current->shared_pointer = checker::modelled(pointer) ? pointer : nullptr;
  if (execution.current->shared_pointer != nullptr) {
    checker::lock_mutex(checker::address_of(pointer), pc);
  }
}

}  // namespace

extern "C" {

// A std::atomic<std::shared_ptr> lets go of its lock.
void fencepost_library_is_trusted() noexcept {
  if (checker::exploring()) execution.counters.library_trusted = 1;
}

// The constructors and the destructor of std::_Sp_locker, by the names that the C++ ABI gives them.
void _ZNSt10_Sp_lockerC1EPKv(void*, const void* pointer) { lock(pointer, FENCEPOST_PC()); }
void _ZNSt10_Sp_lockerC1EPKvS1_(void*, const void* pointer, const void*) {
  lock(pointer, FENCEPOST_PC());
}

void _ZNSt10_Sp_lockerD1Ev(void*) {
  const checker::LeaveNoTrace clean;
  if (!checker::exploring() || execution.current->shared_pointer == nullptr) return;
  checker::unlock_mutex(checker::address_of(execution.current->shared_pointer), FENCEPOST_PC());
  execution.current->shared_pointer = nullptr;
}

}  // extern "C"
