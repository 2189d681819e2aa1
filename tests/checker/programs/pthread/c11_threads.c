// SPDX-License-Identifier: MIT
// The threads of C11 itself.
//
// case: counter
// expect: all=holds|refused executions=2 says="thrd_|mtx_"
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static mtx_t mutex;
static int counter;

static int add_one(void* unused) {
  (void)unused;
  mtx_lock(&mutex);
  counter++;
  mtx_unlock(&mutex);
  return 0;
}

int main(void) {
  thrd_t a, b;
  mtx_init(&mutex, mtx_plain);
  thrd_create(&a, add_one, NULL);
  thrd_create(&b, add_one, NULL);
  thrd_join(a, NULL);
  thrd_join(b, NULL);
  assert(counter == 2);
  mtx_destroy(&mutex);
  return 0;
}
