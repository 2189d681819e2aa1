// SPDX-License-Identifier: MIT
// POSIX semaphores without a name. Those with a name belong to several processes and are refused.
#include "sync/locks/semaphores.hpp"

#include <errno.h>
#include <limits.h>
#include <semaphore.h>

#include <cstdint>

#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "execution/objects.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/locks/lock_marks.hpp"
#include "interface/threads/threads.hpp"
#include "sync/locks/words.hpp"

namespace checker = fencepost::checker;
using checker::execution;

namespace {

// What is in a sem_t here: only the value that it began with, the present one is the runtime's.
struct Semaphore {
  std::uint32_t mark;
  std::uint32_t initial;
};

Semaphore& inside(sem_t* s) { return *reinterpret_cast<Semaphore*>(s); }

checker::LockMark mark_of(sem_t* s) { return {"semaphore", s, &inside(s).mark}; }

std::uint64_t initial_value(sem_t* s, std::uint64_t pc) {
  if (!checker::exploring()) execution.unsupported(pc, "a semaphore is used before main");
  // One that is initialised, destroyed or freed while somebody comes to it races with him.
  checker::look_at_word(checker::address_of(s), sizeof(Semaphore), pc);
  must_be_made_here(mark_of(s), pc);
  return inside(s).initial;
}

int fail(int error) {
  errno = error;
  return -1;
}

bool take(sem_t* s, bool waits, std::uint64_t pc) {
  const checker::LeaveNoTrace clean;
  const std::uint64_t initial = initial_value(s, pc);
  return checker::take_from_semaphore(checker::address_of(s), initial, waits, pc, !waits);
}

int timed_wait(sem_t* s, const timespec* deadline, std::uint64_t pc) {
  const checker::LeaveNoTrace clean;
  const std::uint64_t initial = initial_value(s, pc);
  checker::reads(deadline, sizeof *deadline, pc);
  if (!checker::is_valid(deadline)) return fail(EINVAL);
  const bool leaves = checker::runs_out_of_time(deadline, pc);
  execution.current->block_timed = !leaves;
  const bool taken =
      checker::take_from_semaphore(checker::address_of(s), initial, !leaves, pc, false);
  execution.current->block_timed = false;
  if (taken) return 0;
  checker::let_time_pass_until(deadline);
  return fail(ETIMEDOUT);
}

}  // namespace

extern "C" {

int sem_init(sem_t* s, int shared, unsigned value) noexcept {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  if (value > SEM_VALUE_MAX) return fail(EINVAL);
  if (checker::exploring()) {
    if (shared != 0) checker::note_sharing(PTHREAD_PROCESS_SHARED);
    must_not_be_made_twice(mark_of(s), pc);
    checker::plain_access(checker::address_of(s), sizeof(Semaphore), true, pc);
  }
  inside(s) = {0, value};
  mark_as_made(mark_of(s));
  if (checker::exploring()) {
    checker::initialise_word(checker::ObjectKind::semaphore, checker::Operation::semaphore_init,
                             checker::address_of(s), value, pc);
  }
  return 0;
}

int sem_destroy(sem_t* s) noexcept {
  const std::uint64_t pc = FENCEPOST_PC();
  initial_value(s, pc);
  const unsigned waiter = checker::waits_for_semaphore(checker::address_of(s));
  if (waiter != checker::kMaxThreads) {
    execution.violate(
        "memory", pc, "thread %u destroys the semaphore at 0x%lx, on which thread %u waits",
        execution.current->id, static_cast<unsigned long>(checker::address_of(s)), waiter);
  }
  checker::plain_access(checker::address_of(s), sizeof(Semaphore), true, pc);
  mark_as_destroyed(mark_of(s));
  return 0;
}

int sem_wait(sem_t* s) {
  take(s, true, FENCEPOST_PC());
  return 0;
}
int fencepost_sem_trywait(sem_t* s) { return take(s, false, FENCEPOST_PC()) ? 0 : fail(EAGAIN); }
int sem_timedwait(sem_t* s, const timespec* deadline) {
  return timed_wait(s, deadline, FENCEPOST_PC());
}
int sem_clockwait(sem_t* s, clockid_t clock, const timespec* deadline) {
  if (!checker::is_waited_by(clock)) return fail(EINVAL);
  return timed_wait(s, deadline, FENCEPOST_PC());
}

int sem_post(sem_t* s) noexcept {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  const std::uint64_t initial = initial_value(s, pc);
  if (checker::post_semaphore(checker::address_of(s), initial, pc) >= SEM_VALUE_MAX) {
    execution.violate("memory", pc, "thread %u posts the semaphore at 0x%lx beyond SEM_VALUE_MAX",
                      execution.current->id, static_cast<unsigned long>(checker::address_of(s)));
  }
  return 0;
}

// What std::counting_semaphore does with more than its max() is undefined (library_waits.py).
void fencepost_semaphore_beyond_max(const void* s) {
  if (!checker::exploring()) return;
  execution.violate(
      "memory", FENCEPOST_PC(),
      "thread %u gives the std::counting_semaphore at 0x%lx a count below zero, or one "
      "beyond its max()",
      execution.current->id, static_cast<unsigned long>(checker::address_of(s)));
}

// glibc's answer while somebody waits: zero, never the negative number that POSIX allows.
int fencepost_sem_getvalue(sem_t* s, int* value) {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  const std::uint64_t initial = initial_value(s, pc);
  const auto now = checker::semaphore_value(checker::address_of(s), initial, pc);
  checker::plain_access(checker::address_of(value), sizeof *value, true, pc);
  *value = static_cast<int>(now);
  return 0;
}

}  // extern "C"
