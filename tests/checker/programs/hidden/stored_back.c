// SPDX-License-Identifier: MIT
// A store of the value that was loaded from there is a write, and races with reads: gcc would leave
// it out, for it knows what lies there.
//
// case: by_a_variable
// flags: -DBACK=of_a_variable
// expect: all=data-race
//
// case: by_a_variable_optimised_more
// flags: -DBACK=of_a_variable -O2
// expect: all=data-race
//
// case: to_itself
// flags: -DBACK=of_itself
// expect: all=data-race
//
// case: with_no_bit_more
// flags: -DBACK=of_no_bit_more
// expect: all=data-race
//
// case: zero_where_zero_is
// flags: -DBACK=of_zero
// expect: all=data-race
//
// case: a_whole_struct
// flags: -DBACK=of_a_struct
// expect: all=data-race
//
// case: nothing_where_no_zero_is
// flags: -DBACK=of_another
// expect: all=holds
//
// case: where_an_attribute_asks_for_it
// flags: -DBACK=of_a_variable -DASKS=optimize(\"tree-fre\") -O2
// expect: all=refused says="leave out or move accesses of .of_a_variable"
//
// case: where_a_flag_asks_for_it
// flags: -DBACK=of_a_variable -O2 -ftree-pre
// expect: all=refused says="a flag has gcc leave out or move accesses"
//
// case: where_an_attribute_asks_for_more
// flags: -DBACK=of_a_variable -DASKS=optimize(\"O3\")
// expect: all=data-race
//
// case: with_clang
// flags: -DBACK=of_a_variable -O2
// options: --cc clang-14
// expect: all=data-race
//
// case: zero_with_clang
// flags: -DBACK=of_zero -O2
// options: --cc clang-14
// expect: all=data-race
#include <pthread.h>

#ifndef ASKS
#define ASKS unused
#endif

struct two {
  long x, y;
};

static struct two shared;

__attribute__((unused, ASKS)) static void of_a_variable(void) {
  const long found = shared.x;
  shared.x = found;
}

__attribute__((unused)) static void of_itself(void) { shared.x = shared.x; }

__attribute__((unused)) static void of_no_bit_more(void) { shared.x |= 0; }

__attribute__((unused)) static void of_zero(void) {
  if (shared.x == 0) shared.x = 0;
}

__attribute__((unused)) static void of_a_struct(void) {
  const struct two found = shared;
  shared = found;
}

__attribute__((unused)) static void of_another(void) {
  if (shared.x != 0) shared.x = 0;
}

static void* look(void* nothing) { return shared.x == 5 ? NULL : nothing; }

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, look, NULL);
  BACK();
  pthread_join(other, NULL);
  return 0;
}
