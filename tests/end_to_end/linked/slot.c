// SPDX-License-Identifier: MIT
#include "slot.h"

#include <pthread.h>
#include <stdlib.h>

struct slot {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int full, value;
};

static int takes;

struct slot* slot_make(void) {
  struct slot* s = malloc(sizeof *s);
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->changed, NULL);
  s->full = 0;
  return s;
}

void slot_put(struct slot* s, int value) {
  pthread_mutex_lock(&s->lock);
  while (s->full) pthread_cond_wait(&s->changed, &s->lock);
  s->full = 1;
  s->value = value;
#ifndef FORGETS_TO_WAKE
  pthread_cond_signal(&s->changed);
#endif
  pthread_mutex_unlock(&s->lock);
}

int slot_take(struct slot* s) {
  pthread_mutex_lock(&s->lock);
  while (!s->full) pthread_cond_wait(&s->changed, &s->lock);
  s->full = 0;
  const int value = s->value;
  pthread_cond_signal(&s->changed);
  pthread_mutex_unlock(&s->lock);
  __atomic_fetch_add(&takes, 1, __ATOMIC_RELAXED);
  return value;
}

int slot_takes(void) { return __atomic_load_n(&takes, __ATOMIC_RELAXED); }
