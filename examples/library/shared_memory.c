/* SPDX-License-Identifier: MIT
 *
 * Processes that share work, in C: a parent hands numbers to its children through a ring in shared
 * memory, and they add what they find under a mutex that lies there, too. */
#define _DEFAULT_SOURCE
#include <fencepost/fencepost.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { children = 3, numbers = 30000 };

struct shared {
  fencepost_mpmc_ring ring;
  fencepost_mutex mutex;
  long long sum;
  int seen;
  _Alignas(max_align_t) unsigned char elements[4096];
};

static void add_up(struct shared* shared) {
  int number;
  while (fencepost_mpmc_ring_pop(&shared->ring, &number) == 0) {
    fencepost_mutex_lock(&shared->mutex);
    shared->sum += number;
    ++shared->seen;
    fencepost_mutex_unlock(&shared->mutex);
  }
}

int main(void) {
  struct shared* shared =
      mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  /* Once, before anybody else uses it. */
  if (fencepost_mpmc_ring_init(&shared->ring, sizeof(int), 128, shared->elements,
                               sizeof shared->elements, FENCEPOST_INTERPROCESS) != 0 ||
      fencepost_mutex_init(&shared->mutex, FENCEPOST_INTERPROCESS) != 0) {
    return 1;
  }
  for (int n = 0; n < children; ++n) {
    const pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
      fencepost_interprocess_strategy(); /* each process that only maps the ring enrols itself */
      add_up(shared);
      _exit(0);
    }
  }
  for (int number = 1; number <= numbers; ++number) {
    if (fencepost_mpmc_ring_push(&shared->ring, &number) != 0) return 1;
  }
  fencepost_mpmc_ring_close(&shared->ring);
  int failed = 0;
  for (int n = 0; n < children; ++n) {
    int status = 0;
    if (wait(&status) < 0 || status != 0) failed = 1;
  }
  printf("%d numbers, sum %lld\n", shared->seen, shared->sum);
  return failed == 0 && shared->sum == (long long)numbers * (numbers + 1) / 2 ? 0 : 1;
}
