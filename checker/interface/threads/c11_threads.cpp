// SPDX-License-Identifier: MIT
// C11's <threads.h>, in terms of POSIX threads: glibc's types are the same ones.
#include <features.h>
// clang takes the header's inline definition of one of these functions and this file's for two.
#undef __USE_EXTERN_INLINES
#include <pthread.h>
#include <sched.h>
#include <threads.h>
#include <time.h>

#include <cerrno>
#include <cstdint>

#include "execution/execution.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/threads/threads.hpp"

namespace checker = fencepost::checker;

namespace {

int result_of(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    case EBUSY:
      return thrd_busy;
    default:
      return thrd_error;
  }
}

pthread_mutex_t* pthread_of(mtx_t* m) { return reinterpret_cast<pthread_mutex_t*>(m); }
pthread_cond_t* pthread_of(cnd_t* c) { return reinterpret_cast<pthread_cond_t*>(c); }

// Beside the bits of the kind that are glibc's, and that of make_mutex().
constexpr int kWithoutLimits = 0x2000;

}  // namespace

extern "C" {

// The result of the function is an int: what is above it in the register is not looked at.
int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  const auto start = reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void*>(function));
  const std::uint64_t pc = FENCEPOST_PC();
  const unsigned id = checker::create_thread(
      {.entry = start, .argument = argument, .owned = false, .detached = false}, pc);
  checker::writes(thread, sizeof *thread, pc);
  *thread = id + 1UL;
  return thrd_success;
}
int thrd_join(thrd_t thread, int* result) {
  const std::uint64_t pc = FENCEPOST_PC();
  void* value = nullptr;
  const int error = checker::join_thread(thread, result != nullptr ? &value : nullptr, pc);
  if (error == 0 && result != nullptr) {
    checker::writes(result, sizeof *result, pc);
    *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
  }
  return result_of(error);
}
int thrd_detach(thrd_t thread) { return result_of(checker::detach_thread(thread, FENCEPOST_PC())); }
thrd_t thrd_current() { return pthread_self(); }
int thrd_equal(thrd_t a, thrd_t b) { return a == b; }
void thrd_exit(int result) {
  pthread_exit(reinterpret_cast<void*>(static_cast<std::intptr_t>(result)));
}
void thrd_yield() { sched_yield(); }
int thrd_sleep(const timespec* duration, timespec*) {
  checker::reads(duration, sizeof *duration, FENCEPOST_PC());
  if (!checker::is_valid_for_kernel(duration)) return -2;  // as in glibc
  checker::sleep_for(duration, FENCEPOST_PC());
  return 0;
}

// Of a second one the standard says nothing: it makes a new mutex.
int mtx_init(mtx_t* m, int type) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(
      &attributes, (type & mtx_recursive) != 0 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
  const int error = checker::make_mutex(pthread_of(m), &attributes, FENCEPOST_PC());
  if ((type & mtx_timed) == 0) pthread_of(m)->__data.__kind |= kWithoutLimits;
  return result_of(error);
}
void mtx_destroy(mtx_t* m) { pthread_mutex_destroy(pthread_of(m)); }
int fencepost_mtx_lock(mtx_t* m) {
  return result_of(checker::lock_mutex(pthread_of(m), FENCEPOST_PC(), true));
}
int mtx_timedlock(mtx_t* m, const timespec* deadline) {
  const std::uint64_t pc = FENCEPOST_PC();
  if (checker::exploring() && (pthread_of(m)->__data.__kind & kWithoutLimits) != 0) {
    checker::execution.violate("memory", pc,
                               "thread %u waits with a time limit for a mutex that was made "
                               "without mtx_timed",
                               checker::execution.current->id);
  }
  return result_of(checker::timed_lock_mutex(pthread_of(m), deadline, pc));
}
int fencepost_mtx_trylock(mtx_t* m) {
  return result_of(checker::try_lock_mutex(pthread_of(m), FENCEPOST_PC(), true));
}
int mtx_unlock(mtx_t* m) {
  const int error = checker::unlock_mutex(pthread_of(m), FENCEPOST_PC());
  if (error == EPERM) {
    checker::execution.violate("memory", FENCEPOST_PC(),
                               "thread %u unlocks a mutex that it does not hold",
                               checker::execution.current->id);
  }
  return result_of(error);
}

int cnd_init(cnd_t* c) { return result_of(checker::make_condition(pthread_of(c), FENCEPOST_PC())); }
void cnd_destroy(cnd_t* c) { pthread_cond_destroy(pthread_of(c)); }
// Of waiting with several mutexes at a time the standard says nothing.
int cnd_wait(cnd_t* c, mtx_t* m) {
  return result_of(
      checker::wait_on_condition(pthread_of(c), pthread_of(m), nullptr, false, FENCEPOST_PC()));
}
int cnd_timedwait(cnd_t* c, mtx_t* m, const timespec* deadline) {
  return result_of(
      checker::wait_on_condition(pthread_of(c), pthread_of(m), deadline, false, FENCEPOST_PC()));
}
int cnd_signal(cnd_t* c) {
  return result_of(checker::wake_on_condition(pthread_of(c), 1, FENCEPOST_PC()));
}
int cnd_broadcast(cnd_t* c) {
  return result_of(checker::wake_on_condition(pthread_of(c), ~0U, FENCEPOST_PC()));
}

void call_once(once_flag* flag, void (*function)()) {
  pthread_once(reinterpret_cast<pthread_once_t*>(flag), function);
}

int tss_create(tss_t* key, tss_dtor_t destructor) {
  return result_of(pthread_key_create(key, destructor));
}
void tss_delete(tss_t key) { pthread_key_delete(key); }
void* tss_get(tss_t key) { return pthread_getspecific(key); }
int tss_set(tss_t key, void* value) { return result_of(pthread_setspecific(key, value)); }

}  // extern "C"
