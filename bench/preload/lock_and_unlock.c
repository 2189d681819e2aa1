/* SPDX-License-Identifier: MIT
 *
 * lock_and_unlock [mutex|recursive|read|write|semaphore|once] [MILLIONS]
 *
 * The nanoseconds of CPU time that one lock and unlock take while nobody else wants the lock (post
 * and wait of a semaphore; pthread_once of what has been done) in a program that knows nothing of
 * whose lock it is: for `fencepost run` (docs/lab/run.md). A second thread sleeps all the while,
 * for the C library has cheaper locks in a program with one.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t read_write = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static pthread_once_t done = PTHREAD_ONCE_INIT;

static void lock_mutex(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}
static void lock_recursive(void) {
  pthread_mutex_lock(&recursive);
  pthread_mutex_unlock(&recursive);
}
static void share(void) {
  pthread_rwlock_rdlock(&read_write);
  pthread_rwlock_unlock(&read_write);
}
static void write_alone(void) {
  pthread_rwlock_wrlock(&read_write);
  pthread_rwlock_unlock(&read_write);
}

static void post_and_wait(void) {
  sem_post(&semaphore);
  sem_wait(&semaphore);
}
static void do_nothing(void) {}
static void look_whether_it_is_done(void) { pthread_once(&done, do_nothing); }

static const struct {
  const char* name;
  void (*once)(void);
} kinds[] = {
    {"mutex", lock_mutex},  {"recursive", lock_recursive}, {"read", share},
    {"write", write_alone}, {"semaphore", post_and_wait},  {"once", look_whether_it_is_done}};

static void* sleep_on(void* argument) {
  for (;;) pause();
  return argument;
}

static double cpu_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char** argv) {
  const char* const wanted = argc > 1 ? argv[1] : "mutex";
  const long millions = argc > 2 ? strtol(argv[2], NULL, 10) : 10;
  void (*once)(void) = NULL;
  for (size_t n = 0; n != sizeof kinds / sizeof *kinds; ++n) {
    if (strcmp(kinds[n].name, wanted) == 0) once = kinds[n].once;
  }
  pthread_t sleeper;
  sem_init(&semaphore, 0, 0);
  if (once == NULL || millions < 1 || pthread_create(&sleeper, NULL, sleep_on, NULL) != 0) {
    fprintf(stderr, "lock_and_unlock [mutex|recursive|read|write|semaphore|once] [MILLIONS]\n");
    return 2;
  }
  const double begin = cpu_nanoseconds();
  for (long n = 0; n != millions * 1000000; ++n) once();
  printf("%.3f\n", (cpu_nanoseconds() - begin) / ((double)millions * 1e6));
  return 0;
}
