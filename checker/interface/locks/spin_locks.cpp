// SPDX-License-Identifier: MIT
// POSIX spin locks. Whoever finds one held waits for it: that it burns a processor does not matter.
#include "sync/locks/spin_locks.hpp"

#include <errno.h>
#include <pthread.h>

#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "execution/objects.hpp"
#include "interface/locks/lock_marks.hpp"
#include "interface/threads/threads.hpp"
#include "sync/locks/words.hpp"

namespace checker = fencepost::checker;
using checker::execution;

namespace {

// POSIX has no static initialiser for them. Where there is zero glibc's are free, but on x86-64, on
// which they are held for ever there.
#ifdef __x86_64__
constexpr bool kZeroIsFree = false;
#else
constexpr bool kZeroIsFree = true;
#endif

checker::LockMark mark_of(pthread_spinlock_t* l) {
  return {"spin lock", l, reinterpret_cast<volatile std::uint32_t*>(l)};
}

unsigned holder_of(pthread_spinlock_t* l) {
  return checker::known_holder(checker::address_of(l), checker::ObjectKind::spin_lock);
}

void look_at(pthread_spinlock_t* l, std::uint64_t pc) {
  checker::look_at_word(checker::address_of(l), sizeof *l, pc);
  const checker::LockMark mark = mark_of(l);
  if (!is_unmarked(mark)) {
    must_be_here(mark, pc);
    return;
  }
  const unsigned holder = holder_of(l);
  if (holder != checker::kMaxThreads) is_overwritten(mark, holder, "held it", pc);
  if (!kZeroIsFree) {
    execution.violate(
        "memory", pc,
        "thread %u uses the spin lock at 0x%lx, which nobody has initialised: on x86-64 "
        "it is held where there is zero",
        execution.current->id, static_cast<unsigned long>(checker::address_of(l)));
  }
  mark_as_made(mark);
}

// Both destroying one and making a new one of it.
void must_not_be_held(pthread_spinlock_t* l, const char* does, std::uint64_t pc) {
  const unsigned holder = holder_of(l);
  if (holder == checker::kMaxThreads) return;
  execution.violate("memory", pc, "thread %u %s the spin lock at 0x%lx, which thread %u holds",
                    execution.current->id, does, static_cast<unsigned long>(checker::address_of(l)),
                    holder);
}

}  // namespace

extern "C" {

int pthread_spin_init(pthread_spinlock_t* l, int shared) noexcept {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  const bool modelled = checker::modelled(l);
  if (modelled) {
    checker::note_sharing(shared);
    must_not_be_held(l, "initialises", pc);
    must_not_be_made_twice(mark_of(l), pc);
    checker::plain_access(checker::address_of(l), sizeof *l, true, pc);
  }
  *l = 0;
  if (modelled) {
    checker::initialise_word(checker::ObjectKind::spin_lock, checker::Operation::spin_init,
                             checker::address_of(l), 0, pc);
  }
  mark_as_made(mark_of(l));
  return 0;
}

int pthread_spin_destroy(pthread_spinlock_t* l) noexcept {
  if (!checker::modelled(l)) return 0;
  const std::uint64_t pc = FENCEPOST_PC();
  look_at(l, pc);
  must_not_be_held(l, "destroys", pc);
  checker::plain_access(checker::address_of(l), sizeof *l, true, pc);
  mark_as_destroyed(mark_of(l));
  return 0;
}

int fencepost_pthread_spin_lock(pthread_spinlock_t* l) {
  const checker::LeaveNoTrace clean;
  if (!checker::modelled(l)) return 0;
  const std::uint64_t pc = FENCEPOST_PC();
  look_at(l, pc);
  checker::lock_spin(checker::address_of(l), pc);
  return 0;
}

int fencepost_pthread_spin_trylock(pthread_spinlock_t* l) {
  const checker::LeaveNoTrace clean;
  if (!checker::modelled(l)) return 0;
  const std::uint64_t pc = FENCEPOST_PC();
  look_at(l, pc);
  return checker::try_lock_spin(checker::address_of(l), pc) ? 0 : EBUSY;
}

int pthread_spin_unlock(pthread_spinlock_t* l) noexcept {
  const checker::LeaveNoTrace clean;
  if (!checker::modelled(l)) return 0;
  const std::uint64_t pc = FENCEPOST_PC();
  look_at(l, pc);
  if (!checker::unlock_spin(checker::address_of(l), pc)) {
    execution.violate("memory", pc,
                      "thread %u unlocks a spin lock that it does not hold (address 0x%lx)",
                      execution.current->id, static_cast<unsigned long>(checker::address_of(l)));
  }
  return 0;
}

}  // extern "C"
