// SPDX-License-Identifier: MIT
// Loops that wait for another thread, each written as people write them. None is counted for the
// rounds it goes in vain: one store, one complete execution.
//
// case: load
// flags: -DLOOP="while(!atomic_load(&flag));"
// expect: all=holds executions=1
//
// case: load_with_yield
// flags: -DLOOP="while(!atomic_load(&flag))sched_yield();"
// expect: all=holds executions=1
//
// case: load_with_sleep
// flags: -DLOOP="while(!atomic_load(&flag))usleep(10);"
// expect: all=holds executions=1
//
// case: load_with_pause
// flags: -DLOOP="while(!atomic_load(&flag))relax();"
// expect: all=holds executions=1
//
// case: do_while
// flags: -DLOOP="int seen;do{seen=atomic_load_explicit(&flag,memory_order_acquire);}while(!seen);"
// expect: all=holds executions=1
//
// case: compare_exchange
// flags: -DLOOP="int one=1;while(!atomic_compare_exchange_weak(&flag,&one,2))one=1;"
// expect: all=holds executions=1
//
// case: fence_inside
// flags: -DLOOP="while(!load_and_fence());"
// expect: all=holds
//
// case: through_a_function_pointer
// flags: -DLOOP="while(!look());"
// expect: all=holds executions=1
//
// case: two_flags
// flags: -DLOOP="while(!atomic_load(&flag)||!atomic_load(&other));" -DOTHER
// expect: all=holds executions=1
//
// case: bounded
// flags: -DLOOP="for(int i=0;i<3&&!atomic_load(&flag);i++);" -DMAY_MISS
// expect: all=holds executions=2
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int flag;
static atomic_int other;
static int payload;

int load_and_fence(void);
int load_and_fence(void) {
  int seen = atomic_load_explicit(&flag, memory_order_relaxed);
  atomic_thread_fence(memory_order_acquire);
  return seen;
}

void relax(void);
void relax(void) {
#if defined(__x86_64__)
  __asm__ __volatile__("pause");
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

int (*volatile look)(void) = load_and_fence;

static void* wait_for_it(void* unused) {
  (void)unused;
  LOOP
#ifndef MAY_MISS
      assert(payload == 42);
#endif
  return NULL;
}

int main(void) {
  pthread_t waiter;
  pthread_create(&waiter, NULL, wait_for_it, NULL);
#ifdef MAY_MISS
  atomic_store(&flag, 1);
#else
  payload = 42;
  atomic_store(&flag, 1);
#endif
#ifdef OTHER
  atomic_store(&other, 1);
#endif
  pthread_join(waiter, NULL);
  (void)payload;
  (void)other;
  return 0;
}
