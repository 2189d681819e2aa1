// SPDX-License-Identifier: MIT
//
// A signal comes while its thread has a lock, and the handler changes the object of that lock: for
// libraries that call atomic_inject() there and block signals meanwhile. It is handled afterwards.
#include <signal.h>

#include "fencepost/atomic_instrumentation.h"
#include "functions.h"

struct three {
  uint64_t a, b, c;
};
static struct three object;
static volatile sig_atomic_t raised, handled;

static void handler(int number) {
  const struct three zero = {0, 0, (uint64_t)number};
  any_store(sizeof zero, &object, &zero, __ATOMIC_RELEASE);
  handled = 1;
}

void atomic_inject(void) {
  atomic_faulty = false;
  raise(SIGUSR1);
  raised = 1;
  CHECK(!handled);
}

int main(void) {
  const struct three value = {1, 2, 3};
  struct three seen;
  struct sigaction action = {.sa_handler = handler};
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  atomic_faulty = true;
  any_exchange(sizeof value, &object, &value, &seen, __ATOMIC_ACQ_REL);
  CHECK(raised && handled && seen.c == 0);
  any_load(sizeof seen, &object, &seen, __ATOMIC_ACQUIRE);
  CHECK(seen.a == 0 && seen.c == SIGUSR1);
  return 0;
}
