/* SPDX-License-Identifier: MIT
 *
 * Semaphores: POSIX.1-2017, sem_init(), sem_wait(), sem_timedwait(), sem_post(), sem_getvalue(),
 * sem_open(); POSIX.1-2024, sem_clockwait().
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"

static int value_of(sem_t* semaphore) {
  int value = -1;
  CHECK_IS(0, sem_getvalue(semaphore, &value));
  return value;
}

/* 0, or the error number. */
static int error_of(int result) {
  if (result == 0) return 0;
  CHECK_IS(-1, result);
  return errno;
}

static void counts(void) {
  sem_t semaphore;
  CHECK_IS(0, sem_init(&semaphore, 0, 2));
  CHECK_IS(2, value_of(&semaphore));
  CHECK_IS(0, sem_wait(&semaphore));
  CHECK_IS(0, sem_trywait(&semaphore));
  CHECK_IS(0, value_of(&semaphore));
  CHECK_IS(EAGAIN, error_of(sem_trywait(&semaphore)));
  CHECK_IS(0, sem_post(&semaphore));
  CHECK_IS(1, value_of(&semaphore));
  const struct timespec real = in_seconds(CLOCK_REALTIME, 1000);
  CHECK_IS(0, sem_timedwait(&semaphore, &real));
  CHECK_IS(0, sem_post(&semaphore));
  const struct timespec monotonic = in_seconds(CLOCK_MONOTONIC, 1000);
  CHECK_IS(0, sem_clockwait(&semaphore, CLOCK_MONOTONIC, &monotonic));
  CHECK_IS(0, value_of(&semaphore));
  CHECK_IS(0, sem_destroy(&semaphore));
}

static void has_a_greatest_value(void) {
  sem_t semaphore;
  CHECK_IS(EINVAL, error_of(sem_init(&semaphore, 0, (unsigned)SEM_VALUE_MAX + 1)));
  CHECK_IS(0, sem_init(&semaphore, 0, SEM_VALUE_MAX));
  CHECK_IS(SEM_VALUE_MAX, value_of(&semaphore));
  CHECK_IS(EOVERFLOW, error_of(sem_post(&semaphore)));
  CHECK_IS(SEM_VALUE_MAX, value_of(&semaphore));
  CHECK_IS(0, sem_wait(&semaphore));
  CHECK_IS(0, sem_post(&semaphore));
  CHECK_IS(0, sem_destroy(&semaphore));
}

static bool is_before(const struct timespec* a, const struct timespec* b) {
  return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

static void waits_until_a_moment(void) {
  sem_t semaphore;
  CHECK_IS(0, sem_init(&semaphore, 0, 0));
  static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC};
  for (size_t n = 0; n != LENGTH(clocks); ++n) {
    const struct timespec deadline = soon(clocks[n]);
    CHECK_IS(ETIMEDOUT, error_of(sem_clockwait(&semaphore, clocks[n], &deadline)));
    struct timespec now;
    clock_gettime(clocks[n], &now);
    CHECK(!is_before(&now, &deadline));
  }
  const struct timespec deadline = soon(CLOCK_REALTIME);
  CHECK_IS(ETIMEDOUT, error_of(sem_timedwait(&semaphore, &deadline)));
  const struct timespec past[] = {{0, 0}, {1, 999999999}, {-1, 0}};
  for (size_t n = 0; n != LENGTH(past); ++n) {
    CHECK_IS(ETIMEDOUT, error_of(sem_timedwait(&semaphore, &past[n])));
  }
  const struct timespec none[] = {{0, -1}, {0, 1000000000}};
  for (size_t n = 0; n != LENGTH(none); ++n) {
    CHECK_IS(EINVAL, error_of(sem_timedwait(&semaphore, &none[n])));
    CHECK_IS(EINVAL, error_of(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &none[n])));
  }
  CHECK_IS(EINVAL, error_of(sem_clockwait(&semaphore, CLOCK_PROCESS_CPUTIME_ID, &deadline)));
  CHECK_IS(0, value_of(&semaphore));
  // Also where nobody has to wait.
  CHECK_IS(0, sem_post(&semaphore));
  for (size_t n = 0; n != LENGTH(none); ++n) {
    CHECK_IS(EINVAL, error_of(sem_timedwait(&semaphore, &none[n])));
    CHECK_IS(EINVAL, error_of(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &none[n])));
  }
  CHECK_IS(EINVAL, error_of(sem_clockwait(&semaphore, CLOCK_PROCESS_CPUTIME_ID, &deadline)));
  CHECK_IS(1, value_of(&semaphore));
  CHECK_IS(0, sem_destroy(&semaphore));
}

struct crowd {
  sem_t door;
  sem_t inside;
  int counter;
  atomic_int passed;
};

static void* add_often(void* argument) {
  struct crowd* const shared = argument;
  for (int n = 0; n != 3000; ++n) {
    const struct timespec moment = in_seconds(CLOCK_REALTIME, 1000);
    CHECK_IS(0, n % 2 == 0 ? sem_wait(&shared->door) : sem_timedwait(&shared->door, &moment));
    ++shared->counter;
    CHECK_IS(0, sem_post(&shared->door));
  }
  return NULL;
}

static void lets_one_in(void) {
  struct crowd shared = {.counter = 0};
  CHECK_IS(0, sem_init(&shared.door, 0, 1));
  pthread_t threads[4];
  for (size_t n = 0; n != LENGTH(threads); ++n) {
    CHECK_IS(0, pthread_create(&threads[n], NULL, add_often, &shared));
  }
  for (size_t n = 0; n != LENGTH(threads); ++n) CHECK_IS(0, pthread_join(threads[n], NULL));
  CHECK_IS(LENGTH(threads) * 3000, shared.counter);
  CHECK_IS(1, value_of(&shared.door));
}

static void* go_through(void* argument) {
  struct crowd* const shared = argument;
  CHECK_IS(0, sem_post(&shared->inside));
  CHECK_IS(0, sem_wait(&shared->door));
  ++shared->passed;
  return NULL;
}

static void wakes_each_that_waits(void) {
  for (int round = 0; round != 20; ++round) {
    struct crowd shared;
    CHECK_IS(0, sem_init(&shared.door, 0, 0));
    CHECK_IS(0, sem_init(&shared.inside, 0, 0));
    pthread_t threads[8];
    for (size_t n = 0; n != LENGTH(threads); ++n) {
      CHECK_IS(0, pthread_create(&threads[n], NULL, go_through, &shared));
    }
    for (size_t n = 0; n != LENGTH(threads); ++n) CHECK_IS(0, sem_wait(&shared.inside));
    for (size_t n = 0; n != LENGTH(threads); ++n) CHECK_IS(0, sem_post(&shared.door));
    for (size_t n = 0; n != LENGTH(threads); ++n) CHECK_IS(0, pthread_join(threads[n], NULL));
    CHECK_IS(0, value_of(&shared.door));
  }
}

struct page {
  sem_t done;
};

static void* post_in_each(void* argument) {
  for (struct page** page = argument; *page != NULL; ++page) CHECK_IS(0, sem_post(&(*page)->done));
  return NULL;
}

/* "The effect of destroying a semaphore upon which other threads are currently blocked is
 * undefined": nobody is, once its one wait is over. */
static void may_be_destroyed_after_the_wait(void) {
  enum { rounds = 2000 };
  static struct page* pages[rounds + 1];
  const size_t size = (size_t)sysconf(_SC_PAGESIZE);
  for (int n = 0; n != rounds; ++n) {
    pages[n] = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages[n] != MAP_FAILED);
    CHECK_IS(0, sem_init(&pages[n]->done, 0, 0));
  }
  pthread_t poster;
  CHECK_IS(0, pthread_create(&poster, NULL, post_in_each, pages));
  for (int n = 0; n != rounds; ++n) {
    CHECK_IS(0, sem_wait(&pages[n]->done));
    CHECK_IS(0, sem_destroy(&pages[n]->done));
    CHECK_IS(0, munmap(pages[n], size));
  }
  CHECK_IS(0, pthread_join(poster, NULL));
}

static sem_t* volatile posted_by_handlers;
static sig_atomic_t volatile handled;

static void post_it(int signal) {
  (void)signal;
  const int before = errno;
  CHECK_IS(0, sem_post(posted_by_handlers));
  errno = before;
  ++handled;
}

static void only_count(int signal) {
  (void)signal;
  ++handled;
}

static void handle(void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  CHECK_IS(0, sigaction(SIGUSR1, &action, NULL));
}

static void is_posted_by_signal_handlers(void) {
  handle(post_it, 0);
  static sem_t semaphore;
  CHECK_IS(0, sem_init(&semaphore, 0, 0));
  posted_by_handlers = &semaphore;
  for (int n = 0; n != 100; ++n) {
    CHECK_IS(0, raise(SIGUSR1));
    CHECK_IS(n + 1, value_of(&semaphore));
  }
  for (int n = 0; n != 100; ++n) CHECK_IS(0, sem_wait(&semaphore));
}

struct interrupted {
  sem_t semaphore;
  int how;
  atomic_long thread;
  int error;
  pthread_mutex_t mutex;
  bool over;
};

static void* wait_once(void* argument) {
  struct interrupted* const shared = argument;
  const struct timespec real = in_seconds(CLOCK_REALTIME, 1000);
  const struct timespec monotonic = in_seconds(CLOCK_MONOTONIC, 1000);
  int error = 0;
  shared->thread = syscall(SYS_gettid);
  switch (shared->how) {
    case 0:
      error = error_of(sem_wait(&shared->semaphore));
      break;
    case 1:
      error = error_of(sem_timedwait(&shared->semaphore, &real));
      break;
    default:
      error = error_of(sem_clockwait(&shared->semaphore, CLOCK_MONOTONIC, &monotonic));
      break;
  }
  shared->error = error;
  CHECK_IS(0, pthread_mutex_lock(&shared->mutex));
  shared->over = true;
  CHECK_IS(0, pthread_mutex_unlock(&shared->mutex));
  return NULL;
}

static bool is_over(struct interrupted* shared) {
  CHECK_IS(0, pthread_mutex_lock(&shared->mutex));
  const bool over = shared->over;
  CHECK_IS(0, pthread_mutex_unlock(&shared->mutex));
  return over;
}

static void ends_with_a_signal(void) {
  handle(only_count, 0);
  for (int how = 0; how != 3; ++how) {
    struct interrupted shared = {.how = how, .mutex = PTHREAD_MUTEX_INITIALIZER};
    CHECK_IS(0, sem_init(&shared.semaphore, 0, 0));
    pthread_t thread;
    CHECK_IS(0, pthread_create(&thread, NULL, wait_once, &shared));
    while (!is_over(&shared)) {
      CHECK_IS(0, pthread_kill(thread, SIGUSR1));
      sched_yield();
    }
    CHECK_IS(0, pthread_join(thread, NULL));
    CHECK_IS(EINTR, shared.error);
    CHECK_IS(0, value_of(&shared.semaphore));
    // Nobody waits any more, so that this permit is for the next one.
    CHECK_IS(0, sem_post(&shared.semaphore));
    CHECK_IS(0, sem_trywait(&shared.semaphore));
  }
}

/* Until the kernel has it asleep on this semaphore. */
static void until_asleep(const struct interrupted* shared) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%ld/syscall", (long)shared->thread);
  const unsigned long semaphore = (unsigned long)&shared->semaphore;
  for (;;) {
    FILE* const file = fopen(path, "r");
    CHECK(file != NULL);
    long call = -1;
    unsigned long word = 0;
    const int found = fscanf(file, "%ld %lx", &call, &word);
    fclose(file);
    if (found == 2 && call == SYS_futex && word - semaphore < sizeof shared->semaphore) return;
    sched_yield();
  }
}

/* The permit is for the next one. */
static void ends_with_a_signal_whose_handler_posts(void) {
  handle(post_it, 0);
  for (int how = 0; how != 3; ++how) {
    struct interrupted shared = {.how = how, .mutex = PTHREAD_MUTEX_INITIALIZER};
    CHECK_IS(0, sem_init(&shared.semaphore, 0, 0));
    posted_by_handlers = &shared.semaphore;
    pthread_t thread;
    CHECK_IS(0, pthread_create(&thread, NULL, wait_once, &shared));
    while (shared.thread == 0) sched_yield();
    until_asleep(&shared);
    CHECK_IS(0, pthread_kill(thread, SIGUSR1));
    CHECK_IS(0, pthread_join(thread, NULL));
    CHECK_IS(EINTR, shared.error);
    CHECK_IS(1, value_of(&shared.semaphore));
    CHECK_IS(0, sem_trywait(&shared.semaphore));
    posted_by_handlers = NULL;
    CHECK_IS(0, sem_destroy(&shared.semaphore));
  }
}

static void goes_on_after_a_signal_that_restarts(void) {
  handle(only_count, SA_RESTART);
  struct interrupted shared = {.how = 0, .mutex = PTHREAD_MUTEX_INITIALIZER};
  CHECK_IS(0, sem_init(&shared.semaphore, 0, 0));
  pthread_t thread;
  CHECK_IS(0, pthread_create(&thread, NULL, wait_once, &shared));
  for (int n = 0; n != 50; ++n) {
    const int before = handled;
    CHECK_IS(0, pthread_kill(thread, SIGUSR1));
    while (handled == before) sched_yield();
  }
  CHECK(!is_over(&shared));
  CHECK_IS(0, sem_post(&shared.semaphore));
  CHECK_IS(0, pthread_join(thread, NULL));
  CHECK_IS(0, shared.error);
}

static void* wait_to_be_cancelled(void* argument) {
  struct interrupted* const shared = argument;
  for (;;) wait_once(shared);
  return NULL;
}

static void cancelled_in_a_semaphore(void) {
  for (int how = 0; how != 3; ++how) {
    for (int value = 0; value != 2; ++value) {
      struct interrupted shared = {.how = how, .mutex = PTHREAD_MUTEX_INITIALIZER};
      CHECK_IS(0, sem_init(&shared.semaphore, 0, (unsigned)value));
      pthread_t thread;
      CHECK_IS(0, pthread_create(&thread, NULL, wait_to_be_cancelled, &shared));
      while (value_of(&shared.semaphore) != 0) sched_yield();
      CHECK_IS(0, pthread_cancel(thread));
      void* result = NULL;
      CHECK_IS(0, pthread_join(thread, &result));
      CHECK(result == PTHREAD_CANCELED);
      CHECK_IS(0, value_of(&shared.semaphore));
      CHECK_IS(0, sem_post(&shared.semaphore));
      CHECK_IS(0, sem_wait(&shared.semaphore));
      CHECK_IS(0, sem_destroy(&shared.semaphore));
    }
  }
}

static void* cancel_itself_and_wait(void* argument) {
  CHECK_IS(0, pthread_cancel(pthread_self()));
  // No points of cancellation.
  sem_t* const semaphore = argument;
  CHECK_IS(0, sem_trywait(semaphore));
  CHECK_IS(0, sem_post(semaphore));
  CHECK_IS(1, value_of(semaphore));
  // A point of cancellation, also where it need not wait.
  sem_wait(semaphore);
  return NULL;
}

static void cancelled_before_a_semaphore(void) {
  sem_t semaphore;
  CHECK_IS(0, sem_init(&semaphore, 0, 1));
  pthread_t thread;
  CHECK_IS(0, pthread_create(&thread, NULL, cancel_itself_and_wait, &semaphore));
  void* result = NULL;
  CHECK_IS(0, pthread_join(thread, &result));
  CHECK(result == PTHREAD_CANCELED);
  CHECK_IS(1, value_of(&semaphore));
}

/* glibc's: what is no deadline is an error before it is a point of cancellation. */
static void* cancel_itself_and_wait_for_no_moment(void* argument) {
  CHECK_IS(0, pthread_cancel(pthread_self()));
  const struct timespec none = {100, -1};
  const struct timespec past = {1, 0};
  CHECK_IS(EINVAL, error_of(sem_timedwait(argument, &none)));
  CHECK_IS(EINVAL, error_of(sem_clockwait(argument, CLOCK_MONOTONIC, &none)));
  CHECK_IS(EINVAL, error_of(sem_clockwait(argument, CLOCK_BOOTTIME, &past)));
  CHECK_IS(0, pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
  return NULL;
}

static void not_cancelled_where_the_deadline_is_none(void) {
  for (unsigned value = 0; value != 2; ++value) {
    sem_t semaphore;
    CHECK_IS(0, sem_init(&semaphore, 0, value));
    pthread_t thread;
    CHECK_IS(0, pthread_create(&thread, NULL, cancel_itself_and_wait_for_no_moment, &semaphore));
    void* result = &semaphore;
    CHECK_IS(0, pthread_join(thread, &result));
    CHECK(result == NULL);
    CHECK_IS(value, value_of(&semaphore));
  }
}

/* Two wait, one is cancelled as there is a post: the permit is for the other one, or it was taken.
 */
static void the_cancelled_takes_no_post_along(void) {
  for (int round = 0; round != 300; ++round) {
    struct crowd shared = {.passed = 0};
    CHECK_IS(0, sem_init(&shared.door, 0, 0));
    CHECK_IS(0, sem_init(&shared.inside, 0, 0));
    pthread_t threads[2];
    for (int n = 0; n != 2; ++n) {
      CHECK_IS(0, pthread_create(&threads[n], NULL, go_through, &shared));
    }
    for (int n = 0; n != 2; ++n) CHECK_IS(0, sem_wait(&shared.inside));
    CHECK_IS(0, sem_post(&shared.door));
    CHECK_IS(0, pthread_cancel(threads[0]));
    CHECK_IS(0, pthread_join(threads[0], NULL));
    // glibc 2.36 calls a thread cancelled, too, that has returned as it was.
    if (shared.passed != 0) CHECK_IS(0, pthread_cancel(threads[1]));
    CHECK_IS(0, pthread_join(threads[1], NULL));
    CHECK_IS(1, shared.passed + value_of(&shared.door));
  }
}

enum { exchanges = 1000 };

static void exchange(sem_t* mine, sem_t* theirs) {
  for (int n = 0; n != exchanges; ++n) {
    CHECK_IS(0, sem_post(theirs));
    CHECK_IS(0, sem_wait(mine));
  }
}

static void exchange_with_a_child(sem_t* ours, sem_t* childs) {
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    exchange(childs, ours);
    _exit(0);
  }
  exchange(ours, childs);
  int status = -1;
  CHECK_IS(child, waitpid(child, &status, 0));
  CHECK_IS(0, status);
}

static void shared_by_processes(void) {
  sem_t* const pair =
      mmap(NULL, 2 * sizeof *pair, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(pair != MAP_FAILED);
  CHECK_IS(0, sem_init(&pair[0], 1, 0));
  CHECK_IS(0, sem_init(&pair[1], 1, 0));
  exchange_with_a_child(&pair[0], &pair[1]);
  const struct timespec deadline = soon(CLOCK_MONOTONIC);
  CHECK_IS(ETIMEDOUT, error_of(sem_clockwait(&pair[0], CLOCK_MONOTONIC, &deadline)));
  CHECK_IS(EAGAIN, error_of(sem_trywait(&pair[0])));
  CHECK_IS(0, value_of(&pair[0]));
  CHECK_IS(0, sem_destroy(&pair[0]));
  CHECK_IS(0, sem_destroy(&pair[1]));
}

static void with_a_name(void) {
  sem_t* pair[2];
  for (int n = 0; n != 2; ++n) {
    char name[64];
    snprintf(name, sizeof name, "/fencepost-conformance-%ld-%d", (long)getpid(), n);
    pair[n] = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    CHECK(pair[n] != SEM_FAILED);
    CHECK_IS(0, sem_unlink(name));
  }
  exchange_with_a_child(pair[0], pair[1]);
  const struct timespec deadline = soon(CLOCK_REALTIME);
  CHECK_IS(ETIMEDOUT, error_of(sem_timedwait(pair[0], &deadline)));
  for (int n = 0; n != 2; ++n) CHECK_IS(0, sem_close(pair[n]));
}

const struct named_case semaphore_cases[] = {
    {"counts", counts},
    {"has_a_greatest_value", has_a_greatest_value},
    {"waits_until_a_moment", waits_until_a_moment},
    {"lets_one_in", lets_one_in},
    {"wakes_each_that_waits", wakes_each_that_waits},
    {"may_be_destroyed_after_the_wait", may_be_destroyed_after_the_wait},
    {"is_posted_by_signal_handlers", is_posted_by_signal_handlers},
    {"ends_with_a_signal", ends_with_a_signal},
    {"ends_with_a_signal_whose_handler_posts", ends_with_a_signal_whose_handler_posts},
    {"goes_on_after_a_signal_that_restarts", goes_on_after_a_signal_that_restarts},
    {"cancelled_in_a_semaphore", cancelled_in_a_semaphore},
    {"cancelled_before_a_semaphore", cancelled_before_a_semaphore},
    {"not_cancelled_where_the_deadline_is_none", not_cancelled_where_the_deadline_is_none},
    {"shared_by_processes", shared_by_processes},
    {"with_a_name", with_a_name},
    {NULL, NULL},
};

static void* cancel_itself_and_wait_by_a_clock(void* semaphore) {
  CHECK_IS(0, pthread_cancel(pthread_self()));
  const struct timespec moment = in_seconds(CLOCK_MONOTONIC, 1000);
  sem_clockwait(semaphore, CLOCK_MONOTONIC, &moment);
  return NULL;
}

/* A point of cancellation also where there is a permit. */
static void cancelled_before_a_semaphore_with_a_clock(void) {
  sem_t semaphore;
  CHECK_IS(0, sem_init(&semaphore, 0, 1));
  pthread_t thread;
  CHECK_IS(0, pthread_create(&thread, NULL, cancel_itself_and_wait_by_a_clock, &semaphore));
  void* result = NULL;
  CHECK_IS(0, pthread_join(thread, &result));
  CHECK(result == PTHREAD_CANCELED);
  CHECK_IS(1, value_of(&semaphore));
}

const struct named_case semaphore_cases_beyond_glibc[] = {
    {"cancelled_before_a_semaphore_with_a_clock", cancelled_before_a_semaphore_with_a_clock},
    {"the_cancelled_takes_no_post_along", the_cancelled_takes_no_post_along},
    {NULL, NULL},
};
