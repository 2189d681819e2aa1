// SPDX-License-Identifier: MIT
// Arrays of variable length: a function's first variables, in a loop, and one that another thread
// writes to.
//
// case: cleared_and_summed
// expect: all=holds executions=1
//
// case: cleared_and_summed_by_clang
// options: --cc clang-14
// expect: all=holds executions=1
//
// case: written_by_two
// flags: -DRACE
// expect: all=data-race at=write
//
// case: written_by_two_by_clang
// flags: -DRACE
// options: --cc clang-14
// expect: all=data-race at=write
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

int sum(int count);
int sum(int count) {
  int numbers[count];
  int all = 0;
  memset(numbers, 0, sizeof numbers);
  for (int i = 1; i < count; i++) {
    char text[i];
    memset(text, i, sizeof text);
    numbers[i] = text[i - 1];
    all += numbers[i];
  }
  return all;
}

void* work(void* numbers);
void* work(void* numbers) {
  ((int*)numbers)[1] = 1;  // @write
  return NULL;
}

void share(int count);
void share(int count) {
  int numbers[count];
  pthread_t thread;
  pthread_create(&thread, NULL, work, numbers);
#ifdef RACE
  numbers[1] = 2;  // @write
#endif
  pthread_join(thread, NULL);
  assert(numbers[1] == 1);
}

int main(void) {
  assert(sum(4) == 6);
  share(3);
  return 0;
}
