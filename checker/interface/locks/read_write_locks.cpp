// SPDX-License-Identifier: MIT
// POSIX read-write locks. A lock's kind is where glibc keeps it, also in static initialisers.
#include "sync/locks/read_write_locks.hpp"

#include <errno.h>
#include <pthread.h>

#include <cstring>

#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/locks/lock_marks.hpp"
#include "interface/threads/threads.hpp"

namespace checker = fencepost::checker;
using checker::execution;

namespace {

checker::Rwlock described(const pthread_rwlock_t* l) {
  return {checker::address_of(l),
          l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP};
}

checker::LockMark mark_of(pthread_rwlock_t* l) {
  return {"read-write lock", l, &l->__data.__readers};
}

// A lock that is freed, initialised or destroyed while somebody comes to it races with him.
void look_at(pthread_rwlock_t* l, std::uint64_t pc) {
  checker::look_at_word(checker::address_of(&l->__data.__flags), 4, pc);
  const checker::LockMark mark = mark_of(l);
  if (!is_unmarked(mark)) {
    must_be_here(mark, pc);
    return;
  }
  const unsigned holder = checker::rwlock_holder(described(l));
  if (holder != checker::kMaxThreads) is_overwritten(mark, holder, "held it", pc);
  mark_as_made(mark);
}

// Both destroying one and making a new one of it.
void must_not_be_held(pthread_rwlock_t* l, const char* does, std::uint64_t pc) {
  const unsigned holder = checker::rwlock_holder(described(l));
  if (holder == checker::kMaxThreads) return;
  execution.violate(
      "memory", pc, "thread %u %s the read-write lock at 0x%lx, which thread %u holds",
      execution.current->id, does, static_cast<unsigned long>(checker::address_of(l)), holder);
}

int read(pthread_rwlock_t* l, bool waits, bool may_repeat, std::uint64_t pc) {
  const checker::LeaveNoTrace clean;
  if (!checker::modelled(l)) return 0;
  look_at(l, pc);
  const checker::Rwlock lock = described(l);
  if (checker::rwlock_held(lock).writing) return waits ? EDEADLK : EBUSY;
  return checker::lock_to_read(lock, {waits, false, may_repeat}, pc) ? 0 : EBUSY;
}

int write(pthread_rwlock_t* l, bool waits, bool announces, bool may_repeat, std::uint64_t pc) {
  const checker::LeaveNoTrace clean;
  if (!checker::modelled(l)) return 0;
  look_at(l, pc);
  const checker::Rwlock lock = described(l);
  if (checker::rwlock_held(lock).writing) return waits ? EDEADLK : EBUSY;
  return checker::lock_to_write(lock, {waits, announces, may_repeat}, pc) ? 0 : EBUSY;
}

// Whoever runs out of time looks once.
int timed_read(pthread_rwlock_t* l, const timespec* deadline, std::uint64_t pc) {
  const checker::LeaveNoTrace clean;
  if (!checker::modelled(l)) return 0;
  checker::reads(deadline, sizeof *deadline, pc);
  if (!checker::is_valid(deadline)) return EINVAL;
  const bool owns = checker::rwlock_held(described(l)).writing;  // is told at once
  const bool leaves = !owns && checker::runs_out_of_time(deadline, pc);
  execution.current->block_timed = !leaves;
  const int error = read(l, !leaves, false, pc);
  execution.current->block_timed = false;
  if (!leaves || error != EBUSY) return error;
  checker::let_time_pass_until(deadline);
  return ETIMEDOUT;
}

int timed_write(pthread_rwlock_t* l, const timespec* deadline, std::uint64_t pc) {
  const checker::LeaveNoTrace clean;
  if (!checker::modelled(l)) return 0;
  checker::reads(deadline, sizeof *deadline, pc);
  if (!checker::is_valid(deadline)) return EINVAL;
  const bool owns = checker::rwlock_held(described(l)).writing;  // is told at once
  const bool leaves = !owns && checker::runs_out_of_time(deadline, pc);
  execution.current->block_timed = !leaves;
  const int error = write(l, !leaves, true, false, pc);
  execution.current->block_timed = false;
  if (!leaves || error != EBUSY) return error;
  checker::let_time_pass_until(deadline);
  return ETIMEDOUT;
}

}  // namespace

extern "C" {

int pthread_rwlock_init(pthread_rwlock_t* l, const pthread_rwlockattr_t* attributes) {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  int kind = PTHREAD_RWLOCK_DEFAULT_NP;
  int shared = PTHREAD_PROCESS_PRIVATE;
  if (attributes != nullptr) {
    checker::reads(attributes, sizeof *attributes, pc);
    pthread_rwlockattr_getkind_np(attributes, &kind);
    pthread_rwlockattr_getpshared(attributes, &shared);
  }
  const bool modelled = checker::modelled(l);
  if (modelled) {
    checker::note_sharing(shared);
    must_not_be_held(l, "initialises", pc);
    must_not_be_made_twice(mark_of(l), pc);
    checker::plain_access(checker::address_of(l), sizeof *l, true, pc);
  }
  std::memset(l, 0, sizeof *l);
  l->__data.__flags = static_cast<unsigned>(kind);
  if (modelled) checker::initialise_rwlock(described(l), pc);
  mark_as_made(mark_of(l));
  return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t* l) {
  if (!checker::modelled(l)) return 0;
  const std::uint64_t pc = FENCEPOST_PC();
  look_at(l, pc);
  must_not_be_held(l, "destroys", pc);
  checker::plain_access(checker::address_of(l), sizeof *l, true, pc);
  mark_as_destroyed(mark_of(l));
  return 0;
}

int fencepost_pthread_rwlock_rdlock(pthread_rwlock_t* l) {
  return read(l, true, true, FENCEPOST_PC());
}
int fencepost_pthread_rwlock_tryrdlock(pthread_rwlock_t* l) {
  return read(l, false, true, FENCEPOST_PC());
}
int fencepost_pthread_rwlock_wrlock(pthread_rwlock_t* l) {
  return write(l, true, true, true, FENCEPOST_PC());
}
int fencepost_pthread_rwlock_trywrlock(pthread_rwlock_t* l) {
  return write(l, false, false, true, FENCEPOST_PC());
}
int pthread_rwlock_timedrdlock(pthread_rwlock_t* l, const timespec* deadline) {
  return timed_read(l, deadline, FENCEPOST_PC());
}
int pthread_rwlock_clockrdlock(pthread_rwlock_t* l, clockid_t clock, const timespec* deadline) {
  if (!checker::is_waited_by(clock)) return EINVAL;
  return timed_read(l, deadline, FENCEPOST_PC());
}
int pthread_rwlock_timedwrlock(pthread_rwlock_t* l, const timespec* deadline) {
  return timed_write(l, deadline, FENCEPOST_PC());
}
int pthread_rwlock_clockwrlock(pthread_rwlock_t* l, clockid_t clock, const timespec* deadline) {
  if (!checker::is_waited_by(clock)) return EINVAL;
  return timed_write(l, deadline, FENCEPOST_PC());
}

int pthread_rwlock_unlock(pthread_rwlock_t* l) {
  const checker::LeaveNoTrace clean;
  if (!checker::modelled(l)) return 0;
  const std::uint64_t pc = FENCEPOST_PC();
  look_at(l, pc);
  if (!checker::unlock_rwlock(described(l), pc)) {
    execution.violate("memory", pc,
                      "thread %u unlocks a read-write lock that it does not hold (address 0x%lx)",
                      execution.current->id, static_cast<unsigned long>(checker::address_of(l)));
  }
  return 0;
}

}  // extern "C"
