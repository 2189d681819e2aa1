// SPDX-License-Identifier: MIT
// The number of a thread may be used until it has been joined, or has ended and is detached (POSIX,
// XSH 2.9.2), also by functions that change nothing here.
//
// case: while_it_runs
// flags: '-DBEFORE=use(thread)' -DAFTER=
// expect: all=holds
//
// case: of_itself
// flags: '-DBEFORE=use(pthread_self())' '-DAFTER=use(pthread_self())'
// expect: all=holds
//
// case: a_name_after_it_was_joined
// flags: -DBEFORE= '-DAFTER=pthread_setname_np(thread, "x")'
// expect: all=violated:memory says="which has been joined"
//
// case: a_processor_after_it_was_joined
// flags: -DBEFORE= '-DAFTER=(pthread_getaffinity_np(thread, sizeof set, &set))'
// expect: all=violated:memory says="which has been joined"
//
// case: its_urgency_after_it_was_joined
// flags: -DBEFORE= '-DAFTER=pthread_getschedparam(thread, &policy, &urgency)'
// expect: all=violated:memory says="which has been joined"
//
// case: of_nobody
// flags: '-DBEFORE=pthread_setschedprio((pthread_t)0, 1)' -DAFTER=
// expect: all=violated:memory says="not a thread"
//
// case: of_one_that_never_was
// flags: '-DBEFORE=pthread_setschedparam((pthread_t)12345, 0, &urgency)' -DAFTER=
// expect: all=violated:memory says="not a thread"
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static cpu_set_t set;
static struct sched_param urgency __attribute__((unused));
static int policy __attribute__((unused));

static void use(pthread_t thread) __attribute__((unused));
static void use(pthread_t thread) {
  pthread_setname_np(thread, "name");
  pthread_getaffinity_np(thread, sizeof set, &set);
}

static void* run(void* unused) { return unused; }

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  BEFORE;
  pthread_join(thread, NULL);
  AFTER;
}
