// SPDX-License-Identifier: MIT
// A spin lock is made by a function. Where there is zero glibc's are held, on x86-64, for ever.
//
// case: locked
// flags: -DUSE=pthread_spin_lock(&lock)
// expect: all=violated:memory says="nobody has initialised"
//
// case: tried
// flags: -DUSE=pthread_spin_trylock(&lock)
// expect: all=violated:memory says="nobody has initialised"
//
// case: made
// flags: -DMADE -DUSE=pthread_spin_lock(&lock)
// expect: all=holds
#include <pthread.h>

static pthread_spinlock_t lock;

int main(void) {
#ifdef MADE
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
#endif
  USE;
  pthread_spin_unlock(&lock);
  return 0;
}
