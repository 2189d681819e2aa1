// SPDX-License-Identifier: MIT
// Two mutexes taken in opposite orders.
//
// case: opposite
// flags: -DOPPOSITE
// expect: all=violated:deadlock at=second
//
// case: same
// expect: all=holds executions=2
//
// case: opposite_with_try_and_retreat
// flags: -DOPPOSITE -DTRY
// expect: all=holds
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
static int moved;

static void* move_right(void* unused) {
  (void)unused;
  pthread_mutex_lock(&left);
  pthread_mutex_lock(&right);  // @second
  moved++;
  pthread_mutex_unlock(&right);
  pthread_mutex_unlock(&left);
  return NULL;
}

static void* move_left(void* unused) {
  (void)unused;
#ifdef OPPOSITE
  pthread_mutex_lock(&right);
#ifdef TRY
  if (pthread_mutex_trylock(&left) != 0) {
    pthread_mutex_unlock(&right);
    return NULL;
  }
#else
  pthread_mutex_lock(&left);  // @second
#endif
#else
  pthread_mutex_lock(&left);
  pthread_mutex_lock(&right);
#endif
  moved++;
  pthread_mutex_unlock(&left);
  pthread_mutex_unlock(&right);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, move_right, NULL);
  pthread_create(&b, NULL, move_left, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(moved == 1 || moved == 2);
  return 0;
}
