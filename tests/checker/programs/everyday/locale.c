// SPDX-License-Identifier: MIT
// There is no locale but C. Two threads that choose one race, as the C library's would.
//
// case: chosen_before_there_are_threads
// flags: -DONE=look() -DOTHER=look()
// expect: all=holds
//
// case: chosen_by_two
// flags: '-DONE=setlocale(LC_ALL,"")' '-DOTHER=setlocale(LC_CTYPE,"C")'
// expect: all=violated:data-race
//
// case: chosen_while_another_looks
// flags: '-DONE=setlocale(LC_ALL,"POSIX")' '-DOTHER=setlocale(LC_ALL,NULL)'
// expect: all=violated:data-race
//
// case: one_that_is_not_there_changes_nothing
// flags: '-DONE=setlocale(LC_ALL,"nowhere")' '-DOTHER=setlocale(LC_ALL,NULL)'
// expect: all=holds
#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

__attribute__((unused)) static void look(void) {
  assert(strcmp(setlocale(LC_ALL, NULL), "C") == 0);
}

static void* run(void* unused) {
  (void)(ONE);
  return unused;
}

int main(void) {
  assert(setlocale(LC_ALL, "") != NULL && setlocale(LC_ALL, "nowhere") == NULL);
  assert(setlocale(99, "C") == NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  (void)(OTHER);
  pthread_join(thread, NULL);
}
