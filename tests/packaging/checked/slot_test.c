// SPDX-License-Identifier: MIT
#include "slot.h"

#include <assert.h>
#include <pthread.h>

static struct slot* s;

static void* put(void* unused) {
  slot_put(s, 1);
  return unused;
}

int main(void) {
  pthread_t t;
  s = slot_make();
  pthread_create(&t, 0, put, 0);
  assert(slot_take(s) == 1);
  pthread_join(t, 0);
}
