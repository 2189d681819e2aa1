// SPDX-License-Identifier: MIT
// The arguments of main are the program's like any other memory: watched, and in each execution as
// they were at first.
//
// case: a_character
// flags: '-DONE=given[0][0] = 1' '-DOTHER=given[0][0] != 0'
// expect: all=violated:data-race says="argv"
//
// case: another_character
// flags: '-DONE=given[0][0] = 1' '-DOTHER=given[0][1] != 0'
// expect: all=holds
//
// case: a_pointer
// flags: '-DONE=given[0] = NULL' '-DOTHER=given[0] != NULL'
// expect: all=violated:data-race says="argv"
//
// case: a_function_of_the_library
// flags: '-DONE=strcpy(given[0], "x")' '-DOTHER=strlen(given[0]) != 0'
// expect: all=violated:data-race
//
// case: they_are_put_back
// flags: '-DONE=shift()' '-DOTHER=shift()'
// expect: all=holds executions=2
//
// case: they_may_not_be_freed
// flags: '-DONE=free(given[0])' '-DOTHER=1'
// expect: all=violated:memory
//
// case: nor_the_pointers
// flags: '-DONE=free(given)' '-DOTHER=1'
// expect: all=violated:memory
//
// case: there_is_an_end
// flags: '-DONE=assert(given[1] == NULL)' '-DOTHER=strlen(given[0]) > 0'
// expect: all=holds
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char** given;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// As who looks at one argument after the other does.
int shift(void);
int shift(void) {
  pthread_mutex_lock(&mutex);
  *given[0]++ = '-';
  pthread_mutex_unlock(&mutex);
  return 1;
}

static void* run(void* unused) {
  (void)unused;
  ONE;
  return NULL;
}

int main(int count, char** arguments) {
  assert(count == 1 && arguments[0][0] != '-');
  given = arguments;
  pthread_t other;
  pthread_create(&other, NULL, run, NULL);
  const int found = OTHER;
  pthread_join(other, NULL);
  return !found;
}
