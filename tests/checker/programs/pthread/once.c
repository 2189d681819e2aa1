// SPDX-License-Identifier: MIT
// pthread_once runs its function once, and everybody sees what it did.
//
// case: once
// expect: all=holds
//
// case: home_made_without_waiting
// flags: -DHOME_MADE
// expect: all=violated:data-race at=race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int table;
static int runs;

static void fill(void) {
  table = 7;  // @race
  runs++;
}

#ifdef HOME_MADE
static atomic_int begun;
static void fill_once(void) {
  if (atomic_exchange(&begun, 1) == 0) fill();
}
#else
static pthread_once_t control = PTHREAD_ONCE_INIT;
static void fill_once(void) { pthread_once(&control, fill); }
#endif

static void* use(void* unused) {
  (void)unused;
  fill_once();
  assert(table == 7);  // @race
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, use, NULL);
  pthread_create(&b, NULL, use, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(runs == 1);
  return 0;
}
