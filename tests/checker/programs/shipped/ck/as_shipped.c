// SPDX-License-Identifier: MIT
// Concurrency Kit as Debian ships it: its operations are inline assembly. With CK_USE_CC_BUILTINS
// they are volatile accesses, which are no atomic operations to the standard.
//
// case: fas
// flags: -DLOCK=fas
// expect: all=holds
//
// case: cas
// flags: -DLOCK=cas
// expect: all=holds
//
// case: dec
// flags: -DLOCK=dec
// expect: all=holds
//
// case: ticket
// flags: -DLOCK=ticket
// expect: all=holds
//
// case: mcs
// flags: -DLOCK=mcs -DNODE
// expect: all=holds
//
// case: nobody_waits
// flags: -DLOCK=fas -DTRY
// expect: all=violated:data-race
//
// case: with_the_compilers_builtins
// flags: -DLOCK=fas -DCK_USE_CC_BUILTINS=1
// expect: all=violated:data-race
#include <ck_spinlock.h>
#include <pthread.h>
#include <stddef.h>

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define CALL(what) JOIN(ck_spinlock_, LOCK, what)

#ifdef NODE
static ck_spinlock_mcs_t lock = NULL;
#define ARGUMENTS &lock, &node
#else
static JOIN(ck_spinlock_, LOCK, _t) lock;
#define ARGUMENTS &lock
#endif
static int inside;

static void* work(void* unused) {
#ifdef NODE
  ck_spinlock_mcs_context_t node;
#endif
#ifdef TRY
  (void)CALL(_trylock)(ARGUMENTS);
#else
  CALL(_lock)(ARGUMENTS);
#endif
  inside++;
  CALL(_unlock)(ARGUMENTS);
  return unused;
}

int main(void) {
#ifndef NODE
  CALL(_init)(&lock);
#endif
  pthread_t other;
  pthread_create(&other, NULL, work, NULL);
  work(NULL);
  pthread_join(other, NULL);
  return inside != 2;
}
