// SPDX-License-Identifier: MIT
// Where the first operand of || or && has decided the second one is not read: gcc would ask of both
// at once.
//
// case: first_or_second
// flags: -DASKED=is_first||second
// expect: all=holds executions=1
//
// case: first_or_second_optimised_more
// flags: -DASKED=is_first||second -O2
// expect: all=holds executions=1
//
// case: neither
// flags: "-DASKED=!(is_first==0&&second==0)"
// expect: all=holds executions=1
//
// case: bits_of_both
// flags: "-DASKED=(is_first&1)!=0||(second&1)!=0"
// expect: all=holds executions=1
//
// case: not_decided_by_the_first
// flags: -DASKED=!is_first||second
// expect: all=data-race at=write
//
// case: both
// flags: -DASKED=is_first|second
// expect: all=data-race at=write
//
// case: where_a_flag_asks_for_it
// flags: -DASKED=is_first||second -ftree-reassoc
// options: --cc gcc
// expect: all=refused says="a flag has gcc leave out or move"
//
// case: first_or_second_with_clang
// flags: -DASKED=is_first||second -O2
// options: --cc clang-14
// expect: all=holds executions=1
#include <pthread.h>

static int second;

static void* change(void* nothing) {
  second = 1;  // @write
  return nothing;
}

__attribute__((noinline)) static int asks(int is_first) { return ASKED; }

int main(int argc, char** argv) {
  (void)argv;
  pthread_t other;
  pthread_create(&other, NULL, change, NULL);
  (void)asks(argc);
  pthread_join(other, NULL);
  return 0;
}
