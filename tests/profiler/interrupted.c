/* SPDX-License-Identifier: MIT
 *
 * What may interrupt a thread that makes an entry of a lock: a signal whose handler jumps out of
 * it; a fork() by another thread, whose child makes a lock in a handler that a library registered
 * before the recorder did.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern void make_locks_in_children(void);

enum { LOCKS = 500, JUMPS = 30, FORKS = 400 };

static pthread_mutex_t mutexes[LOCKS];

/* Each is another lock than the one that was there. */
static void make_locks(int at) {
  pthread_mutex_init(&mutexes[at % LOCKS], NULL);
  pthread_mutex_destroy(&mutexes[at % LOCKS]);
  pthread_cond_init((pthread_cond_t*)&mutexes[at % LOCKS], NULL);
}

static sigjmp_buf out;
static volatile bool is_inside;

static void jump(int signal) {
  (void)signal;
  if (is_inside) siglongjmp(out, 1);
}

static void* make_one(void* argument) {
  make_locks(0);
  return argument;
}

static void jump_out(void) {
  const struct sigaction action = {.sa_handler = jump};
  sigaction(SIGVTALRM, &action, NULL);
  const struct itimerval often = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_VIRTUAL, &often, NULL);
  static volatile int jumps;
  static volatile int at;
  if (sigsetjmp(out, 1) != 0) ++jumps;
  is_inside = true;
  while (jumps != JUMPS) make_locks(at++);
  is_inside = false;
  pthread_t thread;
  if (pthread_create(&thread, NULL, make_one, NULL) == 0) pthread_join(thread, NULL);
}

static void* make_all(void* argument) {
  for (int at = 0;; ++at) make_locks(at);
  return argument;
}

static bool fork_all(void) {
  make_locks_in_children();
  pthread_t thread;
  if (pthread_create(&thread, NULL, make_all, NULL) != 0) return false;
  for (int n = 0; n != FORKS; ++n) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) return false;
  }
  return true;
}

int main(int count, char** words) {
  if (count != 2) return 2;
  alarm(300);
  bool is_well = true;
  if (strcmp(words[1], "jump") == 0) {
    jump_out();
  } else {
    is_well = fork_all();
  }
  if (is_well) puts("over");
  fflush(stdout);
  _exit(0);
}
