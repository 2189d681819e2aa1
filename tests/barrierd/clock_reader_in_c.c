/* SPDX-License-Identifier: MIT
 *
 * clock_reader_in_c N: waits N times for the clock of the process, by its time and by its virtual
 * one, and once more for its own processor alone, which has always passed. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fencepost/fencepost.h"

int main(int count, char** words) {
  const int times = count == 2 ? atoi(words[1]) : 0;
  if (!fencepost_interrupt_clock_alive()) {
    puts("none");
    return 1;
  }
  for (int i = 0; i < times; ++i) {
    const uint64_t since = fencepost_interrupt_clock_now();
    while (!fencepost_interrupt_clock_passed(since)) usleep(50);
    const fencepost_virtual_time virtually = fencepost_interrupt_clock_virtual_now();
    if (virtually.clock == NULL) return 4;
    while (!fencepost_interrupt_clock_passed_virtually(virtually)) usleep(50);
  }
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(sched_getcpu(), &own);
  if (sched_setaffinity(0, sizeof own, &own) != 0) return 2;
  if (!fencepost_interrupt_clock_passed_on(fencepost_interrupt_clock_now(), &own, sizeof own)) {
    puts("not even its own processor");
    return 3;
  }
  printf("passed %d\n", times);
  return 0;
}
