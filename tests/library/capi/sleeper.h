/* SPDX-License-Identifier: MIT
 *
 * A thread that others wait for until it sleeps. */
#pragma once

#include <sched.h>
#include <stdio.h>
#include <sys/types.h>

#include "check.h"

struct sleeper {
  void* ring;
  _Atomic pid_t thread;
};

/* Returns once the kernel says that the thread sleeps. */
static inline void wait_until_it_sleeps(struct sleeper* sleeper) {
  while (sleeper->thread == 0) sched_yield();
  char name[64];
  snprintf(name, sizeof name, "/proc/self/task/%d/stat", (int)sleeper->thread);
  for (char state = 0; state != 'S';) {
    sched_yield();
    FILE* file = fopen(name, "r");
    CHECK(file != NULL);
    CHECK(fscanf(file, "%*d (%*[^)]) %c", &state) == 1);
    fclose(file);
  }
}
