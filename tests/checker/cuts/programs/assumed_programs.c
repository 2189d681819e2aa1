// SPDX-License-Identifier: MIT
// Runs the program that its argument spells (spelled_programs.h), of which only some executions
// count:
//
//   m n   assume that what was read last is not 0; is 0
//   c d   compare-exchange x, y from 0, acquire and release; whether that succeeded is read
//
// With ENDS the thread is over instead, and main stores 0 last.
#include <fencepost/instrumentation.h>

#include "spelled_programs.h"

static unsigned long run(int t, const char* at) {
  unsigned long found = 1;
  for (; !is_end(*at); ++at) {
    switch (*at) {
      case 'm':
      case 'n': {
        const bool counts = (found % 8 != 0) == (*at == 'm');
#ifdef ENDS
        if (!counts) return 0;
#else
        fencepost_check_assume(counts);
#endif
        break;
      }
      case 'c':
      case 'd': {
        int old = 0;
        found_out(&found, __atomic_compare_exchange_n(&places[*at - 'c'], &old, t + 1, 0,
                                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
        break;
      }
      default:
        access_memory(t, *at, &found);
    }
  }
  return found;
}

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  run_all(argv[1]);
#ifdef ENDS
  for (int t = 0; t < MOST && programs[t] != NULL; ++t) {
    if (seen[t] == 0) __atomic_store_n(&outcome, 0, __ATOMIC_SEQ_CST);
  }
#endif
  return 0;
}
