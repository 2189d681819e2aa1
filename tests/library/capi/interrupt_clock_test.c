/* SPDX-License-Identifier: MIT
 *
 * The interrupt clock where there is none; where there is one, tests/barrierd looks. */
#include <sched.h>
#include <stdlib.h>

#include "check.h"

void without_a_clock_nobody_has_passed(void) {
  CHECK(setenv("FENCEPOST_INTERRUPT_CLOCK", "/nowhere/at/all", 1) == 0);
  const uint64_t first = fencepost_interrupt_clock_now();
  cpu_set_t none;
  CPU_ZERO(&none);
  CHECK(!fencepost_interrupt_clock_alive());
  CHECK(!fencepost_interrupt_clock_passed(first));
  CHECK(!fencepost_interrupt_clock_passed_on(first, &none, sizeof none));
  const fencepost_virtual_time virtually = fencepost_interrupt_clock_virtual_now();
  CHECK(virtually.clock == NULL);
  CHECK(!fencepost_interrupt_clock_passed_virtually(virtually));
  CHECK(first > 0 && fencepost_interrupt_clock_now() >= first);
}
