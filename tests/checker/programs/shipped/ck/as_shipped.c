// SPDX-License-Identifier: MIT
// Concurrency Kit as Debian ships it cannot be checked: its operations are inline assembly, or with
// CK_USE_CC_BUILTINS volatile accesses, which are no atomic operations to the standard. What is
// built on them can be, on a port of them: ck_on_c11.h.
//
// case: with_its_assembly
// expect: c++20=inconclusive says="inline assembly is not modelled"
//
// case: with_the_compilers_builtins
// flags: -DCK_USE_CC_BUILTINS=1
// expect: all=violated:data-race
#include <ck_spinlock.h>
#include <pthread.h>
#include <stddef.h>

static ck_spinlock_fas_t lock = CK_SPINLOCK_FAS_INITIALIZER;
static int inside;

static void* work(void* unused) {
  ck_spinlock_fas_lock(&lock);
  inside++;
  ck_spinlock_fas_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, work, NULL);
  work(NULL);
  pthread_join(other, NULL);
  return 0;
}
