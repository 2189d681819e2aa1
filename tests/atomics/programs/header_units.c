/* SPDX-License-Identifier: MIT */
/*
 * Units (-DUNITS="UNIT(a) UNIT(b)") that each got <stdatomic.h> in a way of their own agree about
 * the layout of shared objects, and lose no update when a thread of each works on them.
 */
#include <pthread.h>

#include "functions.h"
#include "header_shared.h"

enum { rounds = 3000 };

#define UNIT(name)           \
  extern working work##name; \
  extern measuring measure##name;
UNITS
#undef UNIT
#define UNIT(name) {work##name, measure##name},
static const struct unit {
  working* work;
  measuring* measure;
} units[] = {UNITS};
enum { unit_count = sizeof units / sizeof units[0] };

static struct shared shared;
static struct node nodes[unit_count][rounds];

static void* run(void* argument) {
  const size_t n = (size_t)argument;
  units[n].work(&shared, nodes[n], rounds);
  return NULL;
}

int main(void) {
  long first[figures], other[figures];
  units[0].measure(first);
  for (size_t n = 1; n != unit_count; ++n) {
    units[n].measure(other);
    for (int k = 0; k != figures; ++k) CHECK(first[k] == other[k]);
  }
  CHECK(first[0] == (long)sizeof shared);

  pthread_t threads[unit_count];
  for (size_t n = 0; n != unit_count; ++n)
    CHECK(pthread_create(&threads[n], NULL, run, (void*)n) == 0);
  for (size_t n = 0; n != unit_count; ++n) CHECK(pthread_join(threads[n], NULL) == 0);

  const long total = (long)unit_count * rounds;
  CHECK(shared.under_flag == total && shared.under_turn == total);
  CHECK(atomic_load(&shared.small) == (signed char)total);
  CHECK(atomic_load(&shared.medium) == (short)-total);
  CHECK(atomic_load(&shared.large) == 3 * total);
  int whole = 0;
  for (int n = 0; n != rounds; ++n) whole ^= unit_count % 2 == 0 ? 0 : 1 << n % 31;
  CHECK(atomic_load(&shared.whole) == whole);
  const struct two_ints pair = atomic_load(&shared.pair);
  CHECK(pair.first == total && pair.second == -total);
  const struct two_longs wide = atomic_load(&shared.wide_pair);
  CHECK(wide.first == total && wide.second == -2 * total);
  const struct three_longs triple = atomic_load(&shared.triple);
  CHECK(triple.first == total && triple.third == -total);
  CHECK(triple.second == total * (total - 1) / 2);
  CHECK(atomic_load(&shared.real) == (double)total);
  long pushed = 0;
  for (const struct node* at = atomic_load(&shared.head); at != NULL; at = at->next) ++pushed;
  CHECK(pushed == total);
#if defined(WITH_THREE_BYTES)
  for (int which = -1; which != 3; ++which) {
    const struct three_bytes bytes = atomic_load(which < 0 ? &shared.bytes : &shared.each[which]);
    CHECK(bytes.first == (unsigned char)total && bytes.third == (unsigned char)-total);
    CHECK(bytes.second == (unsigned char)(total * (total - 1) / 2));
  }
  CHECK(shared.neighbour == 0);
#endif
  return 0;
}
