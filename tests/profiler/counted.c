// SPDX-License-Identifier: MIT
// A program whose locks do what they are told to: test_counts.py knows what has to be counted.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int is_open;

static void sleep_ms(long milliseconds) {
  const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static pthread_t start(void* (*function)(void*)) {
  pthread_t started;
  if (pthread_create(&started, NULL, function, NULL) != 0) abort();
  return started;
}

static void* wait_for_condition(void* unused) {
  pthread_mutex_lock(&mutex);
  while (!is_open) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* wait_for_semaphore(void* unused) {
  sem_wait(&semaphore);
  return unused;
}

/// One broadcast that three threads wait for, and two posts.
static void notify(void) {
  pthread_t waiters[3];
  for (int n = 0; n < 3; ++n) waiters[n] = start(wait_for_condition);
  sleep_ms(100);
  pthread_mutex_lock(&mutex);
  is_open = 1;
  pthread_mutex_unlock(&mutex);
  pthread_cond_broadcast(&condition);
  for (int n = 0; n < 3; ++n) pthread_join(waiters[n], NULL);
  sem_init(&semaphore, 0, 0);
  for (int n = 0; n < 2; ++n) {
    const pthread_t waiter = start(wait_for_semaphore);
    sleep_ms(100);
    sem_post(&semaphore);
    pthread_join(waiter, NULL);
  }
}

static void* take_once(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

/// Ten threads, one after another, take a mutex, which each but the first has from another.
static void hand_over(void) {
  for (int n = 0; n < 10; ++n) pthread_join(start(take_once), NULL);
}

static void* wait_for_ever(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push((void (*)(void*))pthread_mutex_unlock, &mutex);
  for (;;) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(1);
  return unused;
}

/// Threads are cancelled that have slept for 0.2 s, on a condition variable and on a semaphore.
static void cancel(void) {
  sem_init(&semaphore, 0, 0);
  const pthread_t waiters[2] = {start(wait_for_ever), start(wait_for_semaphore)};
  sleep_ms(200);
  for (int n = 0; n < 2; ++n) {
    pthread_cancel(waiters[n]);
    pthread_join(waiters[n], NULL);
  }
}

static pthread_rwlock_t lock;

static void* write_lock(void* unused) {
  pthread_rwlock_wrlock(&lock);
  sleep_ms(200);
  pthread_rwlock_unlock(&lock);
  return unused;
}

/// Waits about 0.1 s for a read-write lock that prefers writers.
static void prefer_writers(void) {
  pthread_rwlockattr_t writers;
  pthread_rwlockattr_init(&writers);
  pthread_rwlockattr_setkind_np(&writers, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&lock, &writers);
  const pthread_t writer = start(write_lock);
  sleep_ms(100);
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_join(writer, NULL);
}

static void* open_and_post(void* unused) {
  sleep_ms(100);
  pthread_mutex_lock(&mutex);
  is_open = 1;
  pthread_mutex_unlock(&mutex);
  pthread_cond_signal(&condition);
  sleep_ms(100);
  sem_post(&semaphore);
  return unused;
}

/// Waits on a condition variable and a semaphore.
static void wait_for_both(void) {
  const pthread_t other = start(open_and_post);
  wait_for_condition(NULL);
  wait_for_semaphore(NULL);
  pthread_join(other, NULL);
}

/// Takes locks that processes might share.
static void take_shared(void) {
  static pthread_mutex_t own;
  static pthread_spinlock_t spin;
  pthread_mutexattr_t mutexes;
  pthread_mutexattr_init(&mutexes);
  pthread_mutexattr_setpshared(&mutexes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&own, &mutexes);
  pthread_mutex_lock(&own);
  pthread_mutex_unlock(&own);
  pthread_rwlockattr_t locks;
  pthread_rwlockattr_init(&locks);
  pthread_rwlockattr_setpshared(&locks, PTHREAD_PROCESS_SHARED);
  pthread_rwlock_init(&lock, &locks);
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_spin_init(&spin, PTHREAD_PROCESS_SHARED);
  pthread_spin_lock(&spin);
  pthread_spin_unlock(&spin);
}

/// Waits on a condition variable and a semaphore that processes might share.
static void share(void) {
  take_shared();
  pthread_condattr_t shared;
  pthread_condattr_init(&shared);
  pthread_condattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&condition, &shared);
  sem_init(&semaphore, 1, 0);
  wait_for_both();
}

/// With a mutex that is robust.
static void robust(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  sem_init(&semaphore, 0, 0);
  wait_for_both();
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static pthread_key_t at_exit;
static double lived;

static void take_at_exit(void* unused) { take_once(unused); }

/// Lives for 0.3 s, and uses a lock in the end alone, and once more when it has ended.
static void* live(void* unused) {
  const double began = now();
  pthread_setspecific(at_exit, &at_exit);
  sleep_ms(300);
  pthread_mutex_lock(&mutex);
  lived += now() - began;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static int live_too(void* unused) {
  live(unused);
  return 0;
}

/// Says how long its threads have lived.
static void live_long(void) {
  const double began = now();
  pthread_key_create(&at_exit, take_at_exit);
  const pthread_t two[2] = {start(live), start(live)};
  thrd_t third;
  thrd_create(&third, live_too, NULL);
  for (int n = 0; n < 2; ++n) pthread_join(two[n], NULL);
  thrd_join(third, NULL);
  lived += now() - began;
  printf("%f\n", lived);
}

/// Has the C library's own function begin a thread, which nobody sees.
static void begin_unseen(void) {
  int (*const create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) =
      dlsym(dlopen("libc.so.6", RTLD_NOW), "pthread_create");
  pthread_t unseen;
  if (create(&unseen, NULL, take_once, NULL) != 0) abort();
  pthread_join(unseen, NULL);
}

/// Waits with a mutex that it does not have.
static void wait_without(void) {
  pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  if (pthread_cond_wait(&condition, &checking) != EPERM) abort();
}

static const struct {
  const char* name;
  void (*call)(void);
} actions[] = {{"notify", notify},
               {"hand_over", hand_over},
               {"cancel", cancel},
               {"prefer_writers", prefer_writers},
               {"share", share},
               {"robust", robust},
               {"live_long", live_long},
               {"begin_unseen", begin_unseen},
               {"wait_without", wait_without}};

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  for (size_t n = 0; n < sizeof actions / sizeof *actions; ++n) {
    if (strcmp(what, actions[n].name) != 0) continue;
    actions[n].call();
    return 0;
  }
  return 1;
}
