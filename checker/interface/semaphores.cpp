// SPDX-License-Identifier: MIT
// POSIX semaphores without a name. Those with a name belong to several processes and are refused.
#include <errno.h>
#include <limits.h>
#include <semaphore.h>

#include <cstdint>

#include "interface/threads.hpp"

namespace checker = fencepost::checker;
using checker::runtime;

namespace {

constexpr std::uint32_t kAlive = 0x53454d41;
constexpr std::uint32_t kDestroyed = 0x64656164;

// What is in a sem_t here: only the value that it began with, the present one is the runtime's.
struct Semaphore {
  std::uint32_t state;
  std::uint32_t initial;
};

Semaphore& inside(sem_t* s) { return *reinterpret_cast<Semaphore*>(s); }

std::uint64_t initial_value(sem_t* s, std::uint64_t pc) {
  if (!checker::exploring()) runtime.unsupported(pc, "a semaphore is used before main");
  // One that is initialised, destroyed or freed while somebody comes to it races with him.
  runtime.look_at(checker::address_of(s), sizeof(Semaphore), pc);
  const Semaphore& semaphore = inside(s);
  if (semaphore.state != kAlive) {
    runtime.violate("memory", pc, "thread %u uses the semaphore at 0x%lx, which is %s",
                    runtime.current->id, static_cast<unsigned long>(checker::address_of(s)),
                    semaphore.state == kDestroyed ? "destroyed" : "not initialised");
  }
  return semaphore.initial;
}

int fail(int error) {
  errno = error;
  return -1;
}

bool take(sem_t* s, bool waits, std::uint64_t pc) {
  const checker::LeaveNoTrace clean;
  const std::uint64_t initial = initial_value(s, pc);
  return runtime.take_from_semaphore(checker::address_of(s), initial, waits, pc, !waits);
}

int timed_wait(sem_t* s, const timespec* deadline, std::uint64_t pc) {
  const checker::LeaveNoTrace clean;
  const std::uint64_t initial = initial_value(s, pc);
  const bool leaves = runtime.chooses_timeout(pc);
  runtime.current->block_timed = !leaves;
  const bool taken =
      runtime.take_from_semaphore(checker::address_of(s), initial, !leaves, pc, false);
  runtime.current->block_timed = false;
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
    runtime.plain(checker::address_of(s), sizeof(Semaphore), true, pc);
  }
  inside(s) = {kAlive, value};
  if (checker::exploring()) {
    runtime.initialise_word(checker::ObjectKind::semaphore, checker::What::semaphore_init,
                            checker::address_of(s), value, pc);
  }
  return 0;
}

int sem_destroy(sem_t* s) noexcept {
  const std::uint64_t pc = FENCEPOST_PC();
  initial_value(s, pc);
  const unsigned waiter = runtime.waits_for_object(checker::address_of(s));
  if (waiter != checker::kMaxThreads) {
    runtime.violate(
        "memory", pc, "thread %u destroys the semaphore at 0x%lx, on which thread %u waits",
        runtime.current->id, static_cast<unsigned long>(checker::address_of(s)), waiter);
  }
  runtime.plain(checker::address_of(s), sizeof(Semaphore), true, pc);
  inside(s).state = kDestroyed;
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
int sem_clockwait(sem_t* s, clockid_t, const timespec* deadline) {
  return timed_wait(s, deadline, FENCEPOST_PC());
}

int sem_post(sem_t* s) noexcept {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  const std::uint64_t initial = initial_value(s, pc);
  if (runtime.post_semaphore(checker::address_of(s), initial, pc) >= SEM_VALUE_MAX) {
    runtime.violate("memory", pc, "thread %u posts the semaphore at 0x%lx beyond SEM_VALUE_MAX",
                    runtime.current->id, static_cast<unsigned long>(checker::address_of(s)));
  }
  return 0;
}

// glibc's answer while somebody waits: zero, never the negative number that POSIX allows.
int fencepost_sem_getvalue(sem_t* s, int* value) {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  const std::uint64_t initial = initial_value(s, pc);
  const auto now = runtime.semaphore_value(checker::address_of(s), initial, pc);
  runtime.plain(checker::address_of(value), sizeof *value, true, pc);
  *value = static_cast<int>(now);
  return 0;
}

}  // extern "C"
