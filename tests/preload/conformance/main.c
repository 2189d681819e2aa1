/* SPDX-License-Identifier: MIT
 *
 *     conformance            runs every case that glibc passes, in a process of its own; a line
 * each conformance NAME…      those
 *
 * Exit status 1 if one failed. A case that does not end in five minutes has failed.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"

static const struct named_case* const files[] = {
    mutex_cases, foreign_mutex_cases, condition_cases, cancellation_cases, read_write_lock_cases,
    spin_cases,  c11_cases,           semaphore_cases, once_cases,         process_cases,
};

static const struct named_case* const files_beyond_glibc[] = {
    cases_beyond_glibc,
    mutex_cases_beyond_glibc,
    cancellation_cases_beyond_glibc,
    read_write_lock_cases_beyond_glibc,
    semaphore_cases_beyond_glibc,
};

void expect(const char* what, long expected, long came, const char* file, int line) {
  if (expected == came) return;
  fprintf(stderr, "%s:%d: %s: %ld expected, %ld came\n", file, line, what, expected, came);
  _exit(1);
}

static struct timespec later(clockid_t clock, long seconds, long nanoseconds) {
  struct timespec moment;
  clock_gettime(clock, &moment);
  moment.tv_sec += seconds;
  moment.tv_nsec += nanoseconds;
  if (moment.tv_nsec >= 1000000000) {
    moment.tv_nsec -= 1000000000;
    ++moment.tv_sec;
  }
  return moment;
}

struct timespec in_seconds(clockid_t clock, long seconds) {
  return later(clock, seconds, 0);
}
struct timespec soon(clockid_t clock) {
  return later(clock, 0, 5000000);
}

static void* try_once(void* mutex) {
  const int error = pthread_mutex_trylock(mutex);
  if (error == 0) pthread_mutex_unlock(mutex);
  return (void*)(long)error;
}

static void* unlock_once(void* mutex) { return (void*)(long)pthread_mutex_unlock(mutex); }

static int in_other_thread(void* (*body)(void*), pthread_mutex_t* mutex) {
  pthread_t thread;
  void* error = NULL;
  CHECK_IS(0, pthread_create(&thread, NULL, body, mutex));
  CHECK_IS(0, pthread_join(thread, &error));
  return (int)(long)error;
}

int other_thread_tries(pthread_mutex_t* mutex) { return in_other_thread(try_once, mutex); }
int other_thread_unlocks(pthread_mutex_t* mutex) { return in_other_thread(unlock_once, mutex); }

void init_mutex(pthread_mutex_t* mutex, int type) {
  pthread_mutexattr_t attributes;
  CHECK_IS(0, pthread_mutexattr_init(&attributes));
  CHECK_IS(0, pthread_mutexattr_settype(&attributes, type));
  CHECK_IS(0, pthread_mutex_init(mutex, &attributes));
  CHECK_IS(0, pthread_mutexattr_destroy(&attributes));
}

static bool is_named(const char* name, int count, char** names) {
  for (int n = 0; n != count; ++n) {
    if (strcmp(name, names[n]) == 0) return true;
  }
  return false;
}

static bool passes(const struct named_case* one) {
  fflush(stdout);
  const pid_t child = fork();
  if (child < 0) {
    perror("fork");
    exit(2);
  }
  if (child == 0) {
    alarm(300);
    one->run();
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const bool passed = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  printf("%s %s", passed ? "ok" : "FAILED", one->name);
  if (WIFSIGNALED(status)) printf(" (%s)", strsignal(WTERMSIG(status)));
  puts("");
  return passed;
}

/* How many of a file were run: those of these names, or all where there are none. */
static int run(const struct named_case* file, int count, char** names, bool* all_passed) {
  int ran = 0;
  for (const struct named_case* one = file; one->name != NULL; ++one) {
    if (count != 0 && !is_named(one->name, count, names)) continue;
    ++ran;
    *all_passed &= passes(one);
  }
  return ran;
}

int main(int argc, char** argv) {
  bool all_passed = true;
  int ran = 0;
  for (size_t n = 0; n != LENGTH(files); ++n) {
    ran += run(files[n], argc - 1, argv + 1, &all_passed);
  }
  for (size_t n = 0; argc > 1 && n != LENGTH(files_beyond_glibc); ++n) {
    ran += run(files_beyond_glibc[n], argc - 1, argv + 1, &all_passed);
  }
  if (ran == 0) fprintf(stderr, "%s: no such case\n", argv[0]);
  return all_passed && ran != 0 ? 0 : 1;
}
