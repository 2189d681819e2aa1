// SPDX-License-Identifier: MIT
// POSIX spin locks. Whoever finds one held waits for it: that it burns a processor does not matter.
#include <errno.h>
#include <pthread.h>

#include "interface/threads.hpp"

namespace checker = fencepost::checker;
using checker::runtime;

namespace {

void look_at(pthread_spinlock_t* l, std::uint64_t pc) {
  runtime.look_at(checker::address_of(l), sizeof *l, pc);
}

}  // namespace

extern "C" {

int pthread_spin_init(pthread_spinlock_t* l, int shared) noexcept {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  const bool modelled = checker::modelled(l);
  if (modelled) {
    checker::note_sharing(shared);
    runtime.plain(checker::address_of(l), sizeof *l, true, pc);
  }
  *l = 0;
  if (modelled) {
    runtime.initialise_word(checker::ObjectKind::spin_lock, checker::What::spin_init,
                            checker::address_of(l), 0, pc);
  }
  return 0;
}

int pthread_spin_destroy(pthread_spinlock_t* l) noexcept {
  if (!checker::modelled(l)) return 0;
  runtime.plain(checker::address_of(l), sizeof *l, true, FENCEPOST_PC());
  return 0;
}

int fencepost_pthread_spin_lock(pthread_spinlock_t* l) {
  const checker::LeaveNoTrace clean;
  if (!checker::modelled(l)) return 0;
  const std::uint64_t pc = FENCEPOST_PC();
  look_at(l, pc);
  runtime.lock_spin(checker::address_of(l), pc);
  return 0;
}

int fencepost_pthread_spin_trylock(pthread_spinlock_t* l) {
  const checker::LeaveNoTrace clean;
  if (!checker::modelled(l)) return 0;
  const std::uint64_t pc = FENCEPOST_PC();
  look_at(l, pc);
  return runtime.try_lock_spin(checker::address_of(l), pc) ? 0 : EBUSY;
}

int pthread_spin_unlock(pthread_spinlock_t* l) noexcept {
  const checker::LeaveNoTrace clean;
  if (!checker::modelled(l)) return 0;
  const std::uint64_t pc = FENCEPOST_PC();
  look_at(l, pc);
  if (!runtime.unlock_spin(checker::address_of(l), pc)) {
    runtime.violate("memory", pc,
                    "thread %u unlocks a spin lock that it does not hold (address 0x%lx)",
                    runtime.current->id, static_cast<unsigned long>(checker::address_of(l)));
  }
  return 0;
}

}  // extern "C"
