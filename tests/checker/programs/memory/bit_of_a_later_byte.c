// SPDX-License-Identifier: MIT
// The lowest bit of a byte that is not the first of its word, in memory that nobody has written.
//
// case: a_flag_of_two_bytes
// flags: -DTYPE=unsigned\ short
// expect: all=memory at=look
//
// case: a_flag_of_one_byte
// flags: -DTYPE=unsigned\ char
// expect: all=memory at=look
//
// case: written
// flags: -DTYPE=unsigned\ short -DWRITTEN
// expect: all=holds
#include <pthread.h>
#include <stdlib.h>

struct settings {
  TYPE first;
  TYPE flags;
};

static void* use(void* nothing) {
  struct settings* const s = malloc(sizeof *s);
#ifdef WRITTEN
  s->flags = 0;
#endif
  if ((s->flags & 1) != 0) exit(2);  // @look
  free(s);
  return nothing;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, use, NULL);
  pthread_join(thread, NULL);
  return 0;
}
