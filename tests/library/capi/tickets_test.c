/* SPDX-License-Identifier: MIT
 *
 * Tickets, with a clock or without: both ends of them are the same.
 */
#include <sched.h>

#include "check.h"

static const void* all;

static fencepost_barrier_ticket begun(void) {
  fencepost_barrier_ticket ticket;
  fencepost_barrier_ticket_begin(&ticket, all);
  return ticket;
}

void a_ticket_is_over_by_its_deadline(void) {
  cpu_set_t everywhere;
  CHECK(sched_getaffinity(0, sizeof everywhere, &everywhere) == 0);
  for (int round = 0; round != 2; ++round, all = &everywhere) {
    fencepost_barrier_ticket waited = begun();
    CHECK(fencepost_barrier_ticket_wait_until(&waited, &no_time) == EINVAL);
    const struct timespec deadline = soon();
    CHECK(fencepost_barrier_ticket_wait_until(&waited, &deadline) == 0);
    CHECK(fencepost_barrier_ticket_ready(&waited));

    fencepost_barrier_ticket late = begun();
    CHECK(fencepost_barrier_ticket_wait_for(&late, &negative) == 0);
    CHECK(fencepost_barrier_ticket_ready(&late));

    fencepost_barrier_ticket first = begun();
    fencepost_barrier_ticket second = first;
    fencepost_barrier_ticket_finish(&first);
    CHECK(fencepost_barrier_ticket_ready(&first));
    fencepost_barrier_check_in();
    CHECK(fencepost_barrier_ticket_wait_for(&second, &a_while) == 0);
    CHECK(fencepost_barrier_ticket_ready(&second));
  }
  fencepost_barrier_ticket zero = {{0, 0, 0, 0}};
  CHECK(fencepost_barrier_ticket_ready(&zero));
}
