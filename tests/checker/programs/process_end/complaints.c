// SPDX-License-Identifier: MIT
// <err.h>: a message, and the end of the process. What the message takes is read.
//
// case: warns
// expect: all=holds
//
// case: ends
// flags: -DENDS
// expect: all=violated:exit-status at=ends says="exit status 3"
//
// case: reads
// flags: -DRACES
// expect: all=violated:data-race at=name
//
// case: reads_with_clang
// flags: -DRACES
// options: --cc clang-14
// expect: all=violated:data-race at=name
#include <err.h>
#include <pthread.h>
#include <stddef.h>

static char name[] = "first";

static void* rename_it(void* nothing) {
#ifdef RACES
  name[0] = 'F';  // @name
#endif
  return nothing;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, rename_it, NULL) != 0) err(1, "pthread_create");
  warnx("the %s of %d", name, 2);  // @name
  warn(NULL);
#ifdef ENDS
  errx(3, "too late");  // @ends
#endif
  if (pthread_join(thread, NULL) != 0) errx(1, NULL);
}
