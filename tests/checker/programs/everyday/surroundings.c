// SPDX-License-Identifier: MIT
// What a server says of itself before it begins: where and how urgently its threads run, which
// signals it ignores and blocks. What changes nothing, for all orders are explored and no signal
// comes.
//
// case: asked_and_told
// expect: all=holds executions=2
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int x;

static void handler(int number) { atomic_store(&x, number); }

static void* store(void* unused) {
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(1, &own);
  assert(pthread_setaffinity_np(pthread_self(), sizeof own, &own) == 0);
  atomic_store(&x, 1);
  return unused;
}

int main(void) {
  assert(signal(SIGPIPE, SIG_IGN) == SIG_DFL);
  assert(signal(SIGKILL, SIG_IGN) == SIG_ERR && errno == EINVAL);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  assert(sigaction(SIGINT, &action, 0) == 0);
  struct sigaction before;
  assert(sigaction(SIGTERM, 0, &before) == 0 && before.sa_handler == SIG_DFL);
  assert(sigaction(SIGSTOP, &action, 0) == -1);
  sigset_t blocked;
  sigset_t old;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  assert(pthread_sigmask(SIG_BLOCK, &blocked, &old) == 0 && sigismember(&old, SIGTERM) == 0);
  assert(sigprocmask(SIG_SETMASK, &old, 0) == 0 && pthread_sigmask(77, &blocked, 0) == EINVAL);

  cpu_set_t set;
  assert(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1 && CPU_ISSET(0, &set));
  assert(sched_setaffinity(0, sizeof set, &set) == 0);
  assert(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0);
  struct sched_param parameters = {sched_get_priority_min(SCHED_FIFO)};
  assert(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0);
  int policy;
  assert(pthread_getschedparam(pthread_self(), &policy, &parameters) == 0);
  assert(sched_setscheduler(0, SCHED_OTHER, &parameters) == 0);
  assert(setpriority(PRIO_PROCESS, 0, 5) == 0 && nice(1) == 0);
  assert(getppid() != getpid() && syscall(SYS_getpid) == getpid());
  (void)getuid();

  const clock_t start = clock();
  struct rusage usage;
  assert(start >= 0 && getrusage(RUSAGE_SELF, &usage) == 0 && usage.ru_utime.tv_sec >= 0);
  pthread_t thread;
  pthread_create(&thread, 0, store, 0);
  const int seen = atomic_load(&x);
  assert(seen == 0 || seen == 1);
  pthread_join(thread, 0);
  assert(clock() >= start);
  return 0;
}
