/* SPDX-License-Identifier: MIT
 *
 * One flavour of liburcu: FLAVOUR is its name, FLAVOUR_HEADER what it is included by. It is linked
 * as Debian's users link it; its read side is inlined, which sources under a licence that goes with
 * the LGPL may have by this definition.
 */
#define _LGPL_SOURCE
#define URCU_API_MAP
#include FLAVOUR_HEADER

#include <stdlib.h>

#include "reclamation.h"

#define JOINED(a, b) a##b
#define NAMED(flavour, rest) JOINED(flavour, rest)
#define MINE(rest) NAMED(FLAVOUR, rest)

struct object {
  uint64_t value;
  struct rcu_head head;
};

struct MINE(_box) {
  _Alignas(64) struct object* shared;
};

struct MINE(_box) * MINE(_new)(void) {
  struct MINE(_box)* const box = aligned_alloc(64, sizeof *box);
  box->shared = calloc(1, sizeof *box->shared);
  return box;
}

void MINE(_delete)(struct MINE(_box) * box) {
  rcu_barrier();
  free(box->shared);
  free(box);
}

void MINE(_reads)(struct MINE(_box) * box, uint64_t reads) {
  rcu_register_thread();
  for (uint64_t n = 0; n != reads; ++n) {
    rcu_read_lock();
    const struct object* const seen = rcu_dereference(box->shared);
    __asm__ volatile("" ::"r"(seen->value));
    rcu_read_unlock();
  }
  rcu_unregister_thread();
}

static void end(struct rcu_head* head) { free(caa_container_of(head, struct object, head)); }

void MINE(_replaces)(struct MINE(_box) * box, uint64_t objects) {
  rcu_register_thread();
  for (uint64_t n = 0; n != objects; ++n) {
    struct object* const fresh = malloc(sizeof *fresh);
    fresh->value = n;
    struct object* const old = rcu_xchg_pointer(&box->shared, fresh);
    call_rcu(&old->head, end);
    rcu_quiescent_state();
  }
  rcu_unregister_thread();
}
