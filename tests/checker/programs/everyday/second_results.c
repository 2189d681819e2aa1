// SPDX-License-Identifier: MIT
// Functions that compute, and read or write something of the program's besides.
//
// case: frexpf
// flags: '-DCALL=frexpf(3.0f, &integer)' -DUSED=integer
// expect: all=violated:data-race
//
// case: remquo
// flags: '-DCALL=remquo(7.0, 2.0, &integer)' -DUSED=integer
// expect: all=violated:data-race
//
// case: remquo_of_another
// flags: '-DCALL=remquo(7.0, 2.0, &integer)' -DUSED=other
// expect: all=holds
//
// case: modfl
// flags: '-DCALL=modfl(7.5L, &wide)' -DUSED=wide
// expect: all=violated:data-race
//
// case: sincos
// flags: '-DCALL=sincos(angle, &real, &other)' -DUSED=real
// expect: all=violated:data-race
//
// case: the_other_of_sincos
// flags: '-DCALL=sincos(angle, &other, &real)' -DUSED=real
// expect: all=violated:data-race
//
// case: lgamma_r
// flags: '-DCALL=lgamma_r(angle, &integer)' -DUSED=integer
// expect: all=violated:data-race
//
// case: lgamma_writes_a_variable_of_the_library
// flags: '-DCALL=lgamma(angle)' -DUSED=signgam
// expect: all=inconclusive says="'signgam' is not modelled"
//
// case: rand_r
// flags: '-DCALL=rand_r(&word)' -DUSED=word
// expect: all=violated:data-race
//
// case: sigemptyset
// flags: '-DCALL=sigemptyset(&set.signals)' -DUSED=set.word
// expect: all=violated:data-race
//
// case: sigismember
// flags: '-DCALL=sigismember(&set.signals, 1)' -DUSED=set.word
// expect: all=holds
//
// case: pthread_setname_np
// flags: '-DCALL=pthread_setname_np(pthread_self(), text)' '-DUSED=(text[0] = 1)'
// expect: all=violated:data-race
//
// case: asprintf
// flags: '-DCALL=asprintf(&line, "%d", 5)' -DUSED=line
// expect: all=violated:data-race
//
// case: what_asprintf_has_made
// flags: '-DCALL=(asprintf(&line, "%d,%s", 5, text), assert(strcmp(line, "5,text") == 0), free(line))' -DUSED=text[0]
// expect: all=holds
//
// case: reallocarray
// flags: '-DCALL=free(reallocarray(calloc(1, 8), 2, 8))' -DUSED=line
// expect: all=holds
//
// case: arguments_in_a_shared_list
// flags: -DLIST '-DCALL=vsnprintf(text, 4, "%d", *shared)' -DUSED=other
// expect: all=violated:data-race
#define _GNU_SOURCE
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int integer;
unsigned word;
double real, other, angle = 0.5;
long double wide;
char text[16] = "text";
char* line;
union {
  sigset_t signals;
  unsigned long word;
} set;
va_list* shared;

static void* run(void* unused) {
  (void)CALL;
  return unused;
}

__attribute__((noinline)) static long takes(int count, ...) {
  va_list list;
  va_start(list, count);
  shared = &list;
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
#ifdef LIST
  const long found = va_arg(list, int);
#else
  const long found = (long)USED;
#endif
  pthread_join(thread, NULL);
  va_end(list);
  return found;
}

int main(void) { return takes(1, 2, 3, 4) == 77; }
