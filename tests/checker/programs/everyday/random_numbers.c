// SPDX-License-Identifier: MIT
// A library's hidden state must be the same in every execution, or the library is refused.
//
// case: rand
// flags: -DNEXT=rand()
// expect: all=holds|refused executions=2 says="rand"
//
// case: strtok
// flags: -DNEXT=words() -DWORDS
// expect: all=holds executions=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static atomic_int x;

#ifdef WORDS
int words(void);
int words(void) {
  static char text[] = "one two three";
  int count = 0;
  for (char* word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) count++;
  return count;
}
#endif

static void* store(void* unused) {
  (void)unused;
  atomic_store(&x, 1);
  return NULL;
}

int main(void) {
  int number = NEXT;
  static int first_number;
  pthread_t thread;
  pthread_create(&thread, NULL, store, NULL);
  if (number % 2 == 1) first_number = number;
  (void)atomic_load(&x);
  pthread_join(thread, NULL);
  assert(first_number == (number % 2 == 1 ? number : 0));
  return 0;
}
