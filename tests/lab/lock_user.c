// SPDX-License-Identifier: MIT
// A program that does with its locks what it is told to: test_run_stats.py counts along.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t counted, first, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t together;
static pthread_t main_thread;
static int inside;

static void initialise(void) {
  pthread_mutex_init(&counted, NULL);  // here: counted
  pthread_mutex_init(&first, NULL);    // here: first
}

static void* count(void* rounds) {
  for (long n = 0; n < (long)rounds; ++n) {
    pthread_mutex_lock(&counted);
    ++inside;
    pthread_mutex_unlock(&counted);
  }
  return NULL;
}

static void* wait_once(void* unused) {
  pthread_mutex_lock(&first);  // here: waits
  pthread_mutex_unlock(&first);
  return unused;
}

static void* first_then_second(void* unused) {
  pthread_setname_np(pthread_self(), "forwards");
  pthread_mutex_lock(&first);
  pthread_barrier_wait(&together);
  pthread_mutex_lock(&second);
  return unused;
}

static void* second_then_first(void* unused) {
  pthread_setname_np(pthread_self(), "backwards");
  pthread_mutex_lock(&second);
  pthread_barrier_wait(&together);
  pthread_mutex_lock(&first);
  return unused;
}

static void* write_shared(void* unused) {
  pthread_rwlock_wrlock(&shared);
  return unused;
}

static volatile sig_atomic_t interrupts;

static void interrupted(int number) {
  (void)number;
  ++interrupts;
  if (write(STDOUT_FILENO, "interrupted\n", 12) != 12) _exit(1);
}

static void leave(int number) {
  (void)number;
  _exit(40 + interrupts);
}

static void ready(void) {
  puts("ready");
  fflush(stdout);
}

static void start(void* (*function)(void*), int threads, void* argument) {
  pthread_t started[64];
  for (int n = 0; n < threads; ++n) pthread_create(&started[n], NULL, function, argument);
  for (int n = 0; n < threads; ++n) pthread_join(started[n], NULL);
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  initialise();
  main_thread = pthread_self();
  if (strcmp(what, "count") == 0) {  // 4 × 1000 acquisitions, 3 shared ones, 2 refused tries
    start(count, 4, (void*)1000L);
    for (int n = 0; n < 3; ++n) {
      pthread_rwlock_rdlock(&shared);
      pthread_rwlock_unlock(&shared);
    }
    pthread_mutex_lock(&second);
    for (int n = 0; n < 2; ++n) pthread_mutex_trylock(&second);
    pthread_mutex_unlock(&second);
    return 7;
  }
  if (strcmp(what, "wait") == 0) {  // a thread waits until it is seen that it does
    pthread_t waits;
    pthread_mutex_lock(&first);
    pthread_create(&waits, NULL, wait_once, NULL);
    ready();
    getchar();
    pthread_mutex_unlock(&first);
    pthread_join(waits, NULL);
    return 0;
  }
  if (strcmp(what, "deadlock") == 0) {
    pthread_barrier_init(&together, NULL, 3);
    pthread_t one, other;
    pthread_create(&one, NULL, first_then_second, NULL);
    pthread_create(&other, NULL, second_then_first, NULL);
    pthread_barrier_wait(&together);
    ready();
    pthread_join(one, NULL);
  }
  if (strcmp(what, "join") == 0) {  // a reader waits for the end of a writer, which waits for it
    pthread_t writer;
    pthread_rwlock_rdlock(&shared);
    pthread_create(&writer, NULL, write_shared, NULL);
    ready();
    pthread_join(writer, NULL);
  }
  if (strcmp(what, "fork") == 0) {
    start(count, 1, (void*)10L);
    const pid_t child = fork();
    start(count, 1, (void*)20L);
    if (child == 0) exit(0);
    waitpid(child, NULL, 0);
    return 0;
  }
  if (strcmp(what, "background") == 0) {
    int ends[2];
    char word;
    if (pipe(ends) != 0) return 1;
    if (fork() != 0) exit(read(ends[0], &word, 1) == 1 ? 0 : 1);
    setsid();
    start(count, 1, (void*)5L);
    printf("%d\n", (int)getpid());
    fflush(stdout);
    if (write(ends[1], "", 1) != 1) return 1;
    // Whoever reads what it says is not to wait for its end.
    if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL)
      return 1;
    pause();
  }
  if (strcmp(what, "die") == 0) {
    start(count, 2, (void*)50L);
    abort();
  }
  if (strcmp(what, "interrupts") == 0) {
    signal(SIGINT, interrupted);
    signal(SIGUSR2, leave);
    ready();
    for (;;) pause();
  }
  if (strcmp(what, "stand") == 0) {
    start(count, 1, (void*)1L);
    ready();
    pause();
  }
  return 1;
}
