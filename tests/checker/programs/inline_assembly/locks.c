// SPDX-License-Identifier: MIT
// Spin locks of inline assembly: each excludes, and its loops are recognised.
//
// case: exchange
// flags: -DEXCHANGE
// expect: all=holds
//
// case: compare_exchange
// flags: -DCOMPARE
// expect: all=holds
//
// case: bit
// flags: -DBIT
// expect: all=holds
//
// case: ticket
// flags: -DTICKET
// expect: all=holds
//
// case: exchange_with_yield
// flags: -DEXCHANGE -DYIELD
// expect: all=holds
//
// case: exchange_with_back_off
// flags: -DEXCHANGE -DBACKOFF
// expect: all=holds
//
// case: exchange_at_O0
// flags: -DEXCHANGE -O0
// expect: all=holds
//
// case: loop_in_assembly
// flags: -DASSEMBLY
// expect: all=holds
//
// case: look_then_take
// flags: -DLOOK_THEN_TAKE
// expect: all=violated:data-race
#include <pthread.h>
#include <sched.h>

static unsigned lock = 0, serving;
static int inside;

// Leaves in registers what nobody looks at.
static volatile int steps;
static __attribute__((noinline, unused)) void back_off(void) {
  for (int i = 0; i < 2; i++) {
    (void)steps;
  }
}

#ifdef YIELD
#define PAUSE() sched_yield()
#elif defined(BACKOFF)
#define PAUSE() back_off()
#else
#define PAUSE() __asm__ volatile("pause" ::: "memory")
#endif

static inline void release(void) { __asm__ volatile("movl $0, %0" : "=m"(lock) : : "memory"); }

#if defined(EXCHANGE)
static inline void acquire(void) {
  unsigned taken;
  for (;;) {
    taken = 1;
    __asm__ volatile("xchgl %0, %1" : "+r"(taken), "+m"(lock) : : "memory");
    if (!taken) return;
    PAUSE();
  }
}
#elif defined(COMPARE)
static inline void acquire(void) {
  for (;;) {
    unsigned char done;
    unsigned seen = 0;
    __asm__ volatile("lock; cmpxchgl %3, %0; sete %1"
                     : "+m"(lock), "=q"(done), "+a"(seen)
                     : "r"(1)
                     : "memory", "cc");
    if (done) return;
    PAUSE();
  }
}
#elif defined(BIT)
static inline void acquire(void) {
  for (;;) {
    unsigned char was;
    __asm__ volatile("lock btsl $4, %0; setc %1" : "+m"(lock), "=q"(was) : : "memory", "cc");
    if (!was) return;
    PAUSE();
  }
}
#elif defined(TICKET)
static inline void acquire(void) {
  unsigned mine = 1, now;
  __asm__ volatile("lock; xaddl %0, %1" : "+r"(mine), "+m"(lock) : : "memory", "cc");
  for (;;) {
    __asm__ volatile("movl %1, %0" : "=r"(now) : "m"(serving) : "memory");
    if (now == mine) return;
    PAUSE();
  }
}
#define release() __asm__ volatile("addl $1, %0" : "+m"(serving) : : "memory", "cc")
#elif defined(ASSEMBLY)
static inline void acquire(void) {
  __asm__ volatile(
      "1: movl $1, %%eax\n\t"
      "lock; xchgl %%eax, %0\n\t"
      "testl %%eax, %%eax\n\t"
      "jz 3f\n"
      "2: pause\n\t"
      "cmpl $0, %0\n\t"
      "jne 2b\n\t"
      "jmp 1b\n"
      "3:"
      : "+m"(lock)
      :
      : "eax", "memory", "cc");
}
#elif defined(LOOK_THEN_TAKE)
static inline void acquire(void) {
  unsigned taken;
  do {
    __asm__ volatile("movl %1, %0" : "=r"(taken) : "m"(lock) : "memory");
  } while (taken);
  __asm__ volatile("movl $1, %0" : "=m"(lock) : : "memory");
}
#endif

static void* work(void* unused) {
  acquire();
  inside++;
  release();
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, work, NULL);
  work(NULL);
  pthread_join(other, NULL);
  return inside != 2;
}
