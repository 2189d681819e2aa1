// SPDX-License-Identifier: MIT
// Who has chosen no sequence of random numbers has that of srand(1).
//
// case: the_first_one
// flags: -DFIRST
// expect: all=holds
//
// case: of_another_choice
// flags: -DFIRST -DSEED=2
// expect: all=violated:assertion
//
// case: it_begins_anew
// expect: all=holds
#include <assert.h>
#include <stdlib.h>

#ifndef SEED
#define SEED 1
#endif

int main(void) {
#ifndef FIRST
  srand(7);
#endif
  int first = rand(), second = rand();
#ifdef FIRST
  srand(SEED);
#else
  srand(7);
#endif
  assert(rand() == first && rand() == second);
}
