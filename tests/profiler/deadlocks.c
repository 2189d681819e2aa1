// SPDX-License-Identifier: MIT
// Threads that wait for each other, and some that only seem to: test_deadlocks.py.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t many[2][18];
static pthread_mutex_t without_room[3000];
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int told[2];

/// The child begins to use locks when the parent has done what it does after the fork().
static void tell(void) {
  if (write(told[1], "", 1) != 1) _exit(1);
}
static void hear(void) {
  char word;
  if (read(told[0], &word, 1) != 1) _exit(1);
}

static void ready(void) {
  printf("%d\n", (int)getpid());
  fflush(stdout);
}

static void stay(void) {
  ready();
  for (;;) pause();
}

__attribute__((noinline)) static void initialise_second(void) { pthread_mutex_init(&second, NULL); }

static void* have_second(void* unused) {
  pthread_mutex_lock(&second);
  tell();
  for (;;) pause();
  return unused;
}

static void* want_first(void* unused) {
  pthread_mutex_lock(&first);
  return unused;
}

static void* want_second(void* unused) {
  pthread_mutex_lock(&second);
  return unused;
}

/// More than a record tells apart.
static void take_many(pthread_mutex_t* some) {
  for (int n = 0; n < 18; ++n) pthread_mutex_lock(&some[n]);
}

static void* read_shared(void* unused) {
  take_many(many[1]);
  pthread_rwlock_rdlock(&shared);
  tell();
  for (;;) pause();
  return unused;
}

static void* take_second_of_many(void* unused) {
  take_many(many[1]);
  pthread_mutex_lock(&second);
  tell();
  pthread_mutex_lock(&first);
  return unused;
}

static void* take_the_last(void* unused) {
  pthread_mutex_lock(&without_room[2999]);
  tell();
  for (;;) pause();
  return unused;
}

static void* wait_with_both(void* unused) {
  pthread_mutex_lock(&first);
  pthread_mutex_lock(&second);
  tell();
  pthread_cond_wait(&condition, &second);
  return unused;
}

static pthread_t start(void* (*function)(void*)) {
  pthread_t thread;
  pthread_create(&thread, NULL, function, NULL);
  return thread;
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  if (pipe(told) != 0) return 1;
  if (strcmp(what, "parent takes") == 0) {
    // No deadlock: what the parent takes after the fork() the child has not.
    pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    const pid_t child = fork();
    if (child == 0) {
      hear();
      pthread_mutex_lock(&first);
      pthread_mutex_unlock(&first);
      start(have_second);
      hear();
      ready();
      pthread_mutex_lock(&second);
    }
    pthread_mutex_lock(&second);
    tell();
    waitpid(child, NULL, 0);
  }
  if (strcmp(what, "parent releases") == 0) {
    // A deadlock: the child's main thread has what the parent released, and waits for the end of a
    // thread that wants it. That one is the first to use a lock there.
    pthread_mutex_lock(&first);
    const pid_t child = fork();
    if (child == 0) {
      hear();
      const pthread_t thread = start(want_first);
      ready();
      pthread_join(thread, NULL);
    }
    pthread_mutex_unlock(&first);
    pthread_mutex_destroy(&first);
    tell();
    waitpid(child, NULL, 0);
  }
  if (strcmp(what, "grandchild") == 0) {
    // The same, two forks away; the child between has no record of its own.
    pthread_mutex_lock(&first);
    const pid_t child = fork();
    if (child == 0) {
      const pid_t grandchild = fork();
      if (grandchild == 0) {
        hear();
        const pthread_t thread = start(want_first);
        ready();
        pthread_join(thread, NULL);
      }
      waitpid(grandchild, NULL, 0);
      _exit(0);
    }
    pthread_mutex_unlock(&first);
    tell();
    waitpid(child, NULL, 0);
  }
  if (strcmp(what, "child initialises") == 0) {
    // No deadlock: the child makes a new one of what it inherited locked.
    initialise_second();
    pthread_mutex_lock(&second);
    const pid_t child = fork();
    if (child == 0) {
      initialise_second();
      start(have_second);
      hear();
      ready();
      pthread_join(start(want_second), NULL);
    }
    waitpid(child, NULL, 0);
  }
  if (strcmp(what, "reader of many") == 0) {
    // No deadlock: it wants to write what it has written before, and a thread reads now.
    take_many(many[0]);
    pthread_rwlock_wrlock(&shared);
    pthread_rwlock_unlock(&shared);
    start(read_shared);
    hear();
    ready();
    pthread_rwlock_wrlock(&shared);
  }
  if (strcmp(what, "each has many") == 0) {
    take_many(many[0]);
    pthread_mutex_lock(&first);
    start(take_second_of_many);
    hear();
    ready();
    pthread_mutex_lock(&second);
  }
  if (strcmp(what, "notified") == 0) {
    // A deadlock: who is notified must have the second again, and has the first.
    start(wait_with_both);
    hear();
    pthread_mutex_lock(&second);
    pthread_cond_signal(&condition);
    ready();
    pthread_mutex_lock(&first);
  }
  const int waits = strcmp(what, "no room") == 0;
  if (waits || strcmp(what, "no room, and ends") == 0) {
    // No deadlock: two mutexes of which the record knows no more than that they are some.
    for (int n = 0; n < 3000; ++n) pthread_mutex_init(&without_room[n], NULL);
    for (int n = 0; n < 3000; n += 2) {
      pthread_mutex_lock(&without_room[n]);
      pthread_mutex_lock(&without_room[n + 1]);
      pthread_mutex_unlock(&without_room[n + 1]);
      pthread_mutex_unlock(&without_room[n]);
    }
    if (!waits) return 0;
    pthread_mutex_lock(&without_room[2998]);
    start(take_the_last);
    hear();
    ready();
    pthread_mutex_lock(&without_room[2999]);
  }
  stay();
}
