// SPDX-License-Identifier: MIT
// Store buffering. ldar waits for a stlr before it, ldapr does not; an exclusive pair is no
// barrier.
#include <assert.h>
#include <pthread.h>
static int word[2], seen[2];

static void* work(void* which) {
  const int me = which != 0;
  int found;
#ifdef EXCLUSIVE
  int failed;
  __asm__ volatile("1: ldaxr %w0, %2\n stlxr %w1, %w3, %2\n cbnz %w1, 1b"
                   : "=&r"(found), "=&r"(failed), "+Q"(word[me])
                   : "r"(1)
                   : "memory");
#ifdef BARRIER
  __asm__ volatile("dmb ish" ::: "memory");
#endif
  __asm__ volatile("ldr %w0, %1" : "=r"(found) : "Q"(word[!me]) : "memory");
#else
  __asm__ volatile("stlr %w1, %0" : "=Q"(word[me]) : "r"(1) : "memory");
#ifdef PROCESSOR
  __asm__ volatile("ldapr %w0, %1" : "=r"(found) : "Q"(word[!me]) : "memory");
#else
  __asm__ volatile("ldar %w0, %1" : "=r"(found) : "Q"(word[!me]) : "memory");
#endif
#endif
  seen[me] = found;
  return 0;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, 0, work, &other);
  work(0);
  pthread_join(other, 0);
  assert(seen[0] || seen[1]);
  return 0;
}
