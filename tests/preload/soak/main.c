/* SPDX-License-Identifier: MIT
 *
 *     soak --seconds N | --until-told [--threads N] [--seed N] [--patience N]
 *
 * Works for that long, or until its standard input ends; tells how much was done, and the seed by
 * which each thread chooses what it does. Exit status: 0; 1 where something was not as it must be;
 * 3 for wrong words. Where a thread does not get on for that many seconds of this program's own,
 * two minutes if nothing is said, it tells what all are at, and aborts.
 */
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

enum { most_threads = 64 };

static struct worker workers[most_threads];
static unsigned threads = 8;
static unsigned patience = 120;
static unsigned long seed;
static atomic_bool over;

static const struct work* const files[] = {lock_works, meeting_works, process_works};

static void tell_seed(void) { fprintf(stderr, "soak: run again with --seed %lu\n", seed); }

void must(bool condition, const char* what, const char* file, int line) {
  if (condition) return;
  fprintf(stderr, "soak: %s:%d: this is not so: %s\n", file, line, what);
  tell_seed();
  _exit(1);
}

int must_be(int first, int second, int came, const char* what, const char* file, int line) {
  if (came == first || came == second) return came;
  fprintf(stderr, "soak: %s:%d: %s: %d came\n", file, line, what, came);
  tell_seed();
  _exit(1);
}

static uint64_t next_random(struct worker* self) {
  self->random ^= self->random << 13;
  self->random ^= self->random >> 7;
  self->random ^= self->random << 17;
  return self->random;
}

unsigned below(struct worker* self, unsigned bound) {
  return (unsigned)((next_random(self) >> 33) % bound);
}

void linger(struct worker* self) {
  const unsigned how = below(self, 64);
  if (how == 0) {
    const struct timespec while_others_sleep = {.tv_nsec = 1000L * (long)below(self, 500)};
    nanosleep(&while_others_sleep, NULL);
  } else if (how < 8) {
    sched_yield();
  }
}

struct timespec moment(struct worker* self, clockid_t clock) {
  struct timespec at;
  clock_gettime(clock, &at);
  at.tv_nsec += 1000L * (long)below(self, 2000);
  if (at.tv_nsec >= 1000000000) {
    at.tv_nsec -= 1000000000;
    ++at.tv_sec;
  }
  return at;
}

static const struct work* choose(struct worker* self) {
  unsigned all = 0;
  for (size_t file = 0; file != sizeof files / sizeof files[0]; ++file) {
    for (const struct work* one = files[file]; one->name != NULL; ++one) all += one->weight;
  }
  unsigned chosen = below(self, all);
  for (size_t file = 0;; ++file) {
    for (const struct work* one = files[file]; one->name != NULL; ++one) {
      if (chosen < one->weight) return one;
      chosen -= one->weight;
    }
  }
}

static void* work(void* argument) {
  struct worker* const self = argument;
  while (!atomic_load(&over)) {
    const struct work* const one = choose(self);
    atomic_store(&self->at, one->name);
    one->run(self);
    atomic_fetch_add(&self->done, 1);
  }
  atomic_store(&self->at, "its end");
  return NULL;
}

/* What the kernel says of each thread: the system call that it is in, its arguments first. */
static void tell_threads(void) {
  DIR* const tasks = opendir("/proc/self/task");
  for (struct dirent* task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
    char path[300];
    snprintf(path, sizeof path, "/proc/self/task/%s/syscall", task->d_name);
    FILE* const file = fopen(path, "r");
    char line[200];
    if (file != NULL && fgets(line, sizeof line, file) != NULL) {
      fprintf(stderr, "soak: thread %s: system call %s", task->d_name, line);
    }
    if (file != NULL) fclose(file);
  }
  if (tasks != NULL) closedir(tasks);
}

static void hang(int signal) {
  (void)signal;
  fprintf(stderr, "soak: somebody does not get on\n");
  for (unsigned n = 0; n != threads; ++n) {
    fprintf(stderr, "soak: worker %u has done %lu and is at %s\n", n, atomic_load(&workers[n].done),
            atomic_load(&workers[n].at));
  }
  tell_threads();
  tell_seed();
  abort();
}

/* A second at a time, so that stopping the program is no hang. */
static void watch(double seconds, bool until_told) {
  unsigned long before[most_threads] = {0};
  unsigned looks[most_threads] = {0};
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  for (double passed = 0; until_told || passed < seconds; ++passed) {
    const double left = seconds - passed;
    const int milliseconds = until_told || left > 1 ? 1000 : (int)(1000 * left);
    if (until_told) {
      char letter = 0;
      if (poll(&input, 1, milliseconds) > 0 && read(STDIN_FILENO, &letter, 1) == 0) return;
    } else {
      poll(NULL, 0, milliseconds);
    }
    for (unsigned n = 0; n != threads; ++n) {
      const unsigned long done = atomic_load(&workers[n].done);
      looks[n] = done == before[n] ? looks[n] + 1 : 0;
      before[n] = done;
      if (looks[n] == patience) hang(0);
    }
  }
}

static void wrong_words(void) {
  fprintf(stderr,
          "usage: soak --seconds N | --until-told [--threads N] [--seed N] [--patience N]\n");
  exit(3);
}

int main(int argc, char** argv) {
  double seconds = -1;
  bool until_told = false;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  seed = (unsigned long)now.tv_nsec ^ (unsigned long)getpid() << 32;
  for (int n = 1; n != argc; ++n) {
    if (strcmp(argv[n], "--until-told") == 0) {
      until_told = true;
      continue;
    }
    if (n + 1 == argc) wrong_words();
    const char* const option = argv[n];
    const char* const value = argv[++n];
    if (strcmp(option, "--seconds") == 0) {
      seconds = strtod(value, NULL);
    } else if (strcmp(option, "--threads") == 0) {
      threads = (unsigned)strtoul(value, NULL, 10);
    } else if (strcmp(option, "--patience") == 0) {
      patience = (unsigned)strtoul(value, NULL, 10);
    } else if (strcmp(option, "--seed") == 0) {
      seed = strtoul(value, NULL, 10);
    } else {
      wrong_words();
    }
  }
  if ((seconds < 0) != until_told || threads == 0 || threads > most_threads || patience == 0)
    wrong_words();
  make_locks();
  make_meetings();
  for (unsigned n = 0; n != threads; ++n) {
    workers[n].random = (seed + n) * 0x9e3779b97f4a7c15U | 1;
    for (int turn = 0; turn != 8; ++turn) next_random(&workers[n]);
    atomic_store(&workers[n].at, "its beginning");
    MUST_DO(pthread_create(&workers[n].thread, NULL, work, &workers[n]));
  }
  if (until_told) {
    puts("works");
    fflush(stdout);
  }
  watch(seconds, until_told);
  atomic_store(&over, true);
  signal(SIGALRM, hang);
  alarm(patience);
  unsigned long done = 0;
  for (unsigned n = 0; n != threads; ++n) {
    MUST_DO(pthread_join(workers[n].thread, NULL));
    done += atomic_load(&workers[n].done);
  }
  look_at_locks();
  look_at_meetings();
  printf("%lu pieces of work by %u threads, seed %lu\n", done, threads, seed);
  return 0;
}
