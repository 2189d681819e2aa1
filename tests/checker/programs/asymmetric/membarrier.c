// SPDX-License-Identifier: MIT
// The commands of membarrier, and what they say of a process that has not registered.
//
// case: private
// flags: -DREGISTER=ENROL_PRIVATE -DBARRIER=PRIVATE
// expect: all=holds executions=3
//
// case: private_without_registration
// flags: -DBARRIER=PRIVATE
// expect: all=violated:assertion at=barrier
//
// case: registered_for_the_other_one
// flags: -DREGISTER=ENROL_GLOBAL -DBARRIER=PRIVATE
// expect: all=violated:assertion at=barrier
//
// case: global
// flags: -DBARRIER=EVERYBODY
// expect: all=holds executions=3
//
// case: global_expedited
// flags: -DREGISTER=ENROL_GLOBAL -DBARRIER=GLOBAL
// expect: all=holds executions=3
//
// case: global_expedited_reaches_only_who_has_registered
// flags: -DBARRIER=GLOBAL
// expect: c++20=violated:assertion x86=violated:assertion at=seen
// expect: sc=holds executions=3
//
// case: unknown_command
// flags: -DBARRIER=UNKNOWN
// expect: all=violated:assertion at=barrier
#include <assert.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PRIVATE MEMBARRIER_CMD_PRIVATE_EXPEDITED
#define GLOBAL MEMBARRIER_CMD_GLOBAL_EXPEDITED
#define EVERYBODY MEMBARRIER_CMD_GLOBAL
#define UNKNOWN 1024
#define ENROL_PRIVATE MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED
#define ENROL_GLOBAL MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED

static atomic_int x, y;
static int seen_x, seen_y;

static void* frequent(void* unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst);
  seen_y = atomic_load_explicit(&y, memory_order_relaxed);
  return unused;
}

static void* rare(void* unused) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  assert(syscall(SYS_membarrier, BARRIER, 0, 0) == 0);  // @barrier
  seen_x = atomic_load_explicit(&x, memory_order_relaxed);
  return unused;
}

int main(void) {
  const long known = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  assert(known & MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  assert(known & MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  assert(syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 1, 0) == -1 && errno == EINVAL);
#ifdef REGISTER
  assert(syscall(SYS_membarrier, REGISTER, 0, 0) == 0);
#endif
  pthread_t a, b;
  pthread_create(&a, 0, frequent, 0);
  pthread_create(&b, 0, rare, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(seen_x || seen_y);  // @seen
  return 0;
}
