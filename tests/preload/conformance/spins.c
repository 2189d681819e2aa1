/* SPDX-License-Identifier: MIT
 *
 * pthread_spin_*: POSIX.1-2017, pthread_spin_lock().
 */
#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"

static pthread_spinlock_t lock;
static long total;

static void* count(void* argument) {
  (void)argument;
  for (int n = 0; n != 5000; ++n) {
    CHECK_IS(0, pthread_spin_lock(&lock));
    ++total;
    CHECK_IS(0, pthread_spin_unlock(&lock));
  }
  return NULL;
}

static void spin_lock_excludes(void) {
  CHECK_IS(0, pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE));
  pthread_t threads[4];
  for (int n = 0; n != 4; ++n) CHECK_IS(0, pthread_create(&threads[n], NULL, count, NULL));
  for (int n = 0; n != 4; ++n) CHECK_IS(0, pthread_join(threads[n], NULL));
  CHECK_IS(20000, total);
  CHECK_IS(0, pthread_spin_trylock(&lock));
  CHECK_IS(EBUSY, pthread_spin_trylock(&lock));
  CHECK_IS(0, pthread_spin_unlock(&lock));
  CHECK_IS(0, pthread_spin_destroy(&lock));
}

struct shared_count {
  pthread_spinlock_t lock;
  long total;
};

static void spin_lock_excludes_processes(void) {
  struct shared_count* const shared =
      mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED);
  CHECK_IS(0, pthread_spin_init(&shared->lock, PTHREAD_PROCESS_SHARED));
  const pid_t child = fork();
  CHECK(child >= 0);
  for (int n = 0; n != 3000; ++n) {
    while (pthread_spin_trylock(&shared->lock) != 0) sched_yield();
    ++shared->total;
    CHECK_IS(0, pthread_spin_unlock(&shared->lock));
  }
  if (child == 0) _exit(0);
  int status = 0;
  CHECK_IS(child, waitpid(child, &status, 0));
  CHECK_IS(0, status);
  CHECK_IS(6000, shared->total);
}

const struct named_case spin_cases[] = {
    {"spin_lock_excludes", spin_lock_excludes},
    {"spin_lock_excludes_processes", spin_lock_excludes_processes},
    {NULL, NULL},
};
