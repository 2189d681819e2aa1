// SPDX-License-Identifier: MIT
// Data in a section of its own does not run. Bytes among the code do.
//
// case: note
// flags: -DNOTE
// expect: all=holds executions=2
//
// case: no_code
// flags: -DCODE
// expect: all=inconclusive
#include <pthread.h>
#ifdef NOTE
#define WHERE ".note.mine, \"a\""
#else
#define WHERE ".text.mine, \"ax\""
#endif
static int count;

static void* work(void* unused) {
  __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  __asm__ volatile(".pushsection " WHERE "\n.balign 4\n.long 1, 2\n.asciz \"note\"\n.popsection");
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, 0, work, 0);
  work(0);
  return pthread_join(other, 0);
}
