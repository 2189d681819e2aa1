// SPDX-License-Identifier: MIT
// No signal comes, but what has been said of one is told when it is asked for: signal() and
// sigaction() tell what was said before, in the whole process, and a thread blocks what the one
// blocked that made it.
//
// case: a_handler_that_was_installed
// flags: '-DSAID=signal(SIGUSR1,SIG_DFL)!=handler'
// expect: all=holds executions=2
//
// case: it_is_found
// flags: '-DSAID=signal(SIGUSR1,SIG_DFL)==handler'
// expect: all=violated:assertion at=said
//
// case: what_sigaction_installed
// flags: '-DSAID=asked(SIGUSR2)!=handler'
// expect: all=holds executions=2
//
// case: what_a_constructor_said
// flags: '-DSAID=asked(SIGHUP)!=SIG_IGN'
// expect: all=holds executions=2
//
// case: what_the_creator_blocked
// flags: '-DSAID=!is_blocked(SIGTERM)'
// expect: all=holds executions=2
//
// case: what_nobody_blocked
// flags: '-DSAID=!is_blocked(SIGINT)'
// expect: all=violated:assertion at=said
//
// case: what_cannot_be_blocked
// flags: '-DSAID=is_blocked(SIGKILL)'
// expect: all=holds executions=2
//
// case: what_another_execution_said
// flags: '-DSAID=asked(SIGALRM)!=SIG_DFL' -DLATER
// expect: all=holds executions=2
//
// case: a_loop_that_says_the_same
// flags: -DSAID=0 -DSAME
// expect: all=holds
//
// case: a_loop_that_says_something_else
// flags: -DSAID=0 -DLOOP
// expect: all=violated:assertion at=loop
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x;

static void handler(int unused) { (void)unused; }

__attribute__((constructor)) static void begin(void) { signal(SIGHUP, SIG_IGN); }

static __attribute__((unused)) sighandler_t asked(int number) {
  struct sigaction action;
  sigaction(number, NULL, &action);
  return action.sa_handler;
}

static __attribute__((unused)) int is_blocked(int number) {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  return sigismember(&blocked, number);
}

static void block(int how, int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(how, &set, NULL);
}

static void* work(void* unused) {
  assert(!(SAID));  // @said
  atomic_store(&x, 1);
  return unused;
}

int main(void) {
  signal(SIGUSR1, handler);
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR2, &action, NULL);
  block(SIG_BLOCK, SIGTERM);
  block(SIG_BLOCK, SIGKILL);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  block(SIG_UNBLOCK, SIGTERM);
#ifdef SAME
  signal(SIGALRM, SIG_IGN);
  while (atomic_load(&x) == 0) signal(SIGALRM, SIG_IGN);
#elif defined(LOOP)
  while (atomic_load(&x) == 0) {
    assert(signal(SIGALRM, SIG_IGN) != SIG_IGN);  // @loop
  }
#else
  (void)atomic_load(&x);
#endif
  pthread_join(thread, NULL);
#ifdef LATER
  signal(SIGALRM, handler);
#endif
}
