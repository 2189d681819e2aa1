// SPDX-License-Identifier: MIT
// Parts of a local variable that another thread has the address of, accessed by the function that
// the variable is of. LLVM's instrumentation asks whether anybody is told the address of the part,
// and nobody is.
//
// case: field
// flags: -DOWN="box.value=2"
// options: --cc clang-14
// expect: all=data-race at=own
//
// case: field_without_optimisation
// flags: -O0 -DOWN="box.value=2"
// options: --cc clang-14
// expect: all=data-race at=own
//
// case: field_by_a_pointer
// flags: -DOWN="(&box)->value=2"
// options: --cc clang-14
// expect: all=data-race at=own
//
// case: element
// flags: -O3 -DOWN="box.cells[1]=2"
// options: --cc clang-14
// expect: all=data-race at=own
//
// case: read_in_vain
// flags: -O2 -DOWN="(void)box.cells[box.first]"
// options: --cc clang-14
// expect: all=data-race at=own
//
// case: copied
// flags: -O2 -DOWN="const struct box_t copy=box;(void)copy"
// options: --cc clang-14
// expect: all=data-race at=own
//
// case: passed_by_value
// flags: -O2 -DOWN="take(box)"
// options: --cc clang-14
// expect: all=data-race at=own
//
// case: passed_by_value_without_optimisation
// flags: -O0 -DOWN="take(box)"
// options: --cc clang-14
// expect: all=data-race at=own
//
// case: with_gcc
// flags: -DOWN="box.value=2"
// expect: all=data-race at=own
//
// case: other_parts
// flags: -DOWN="box.last=2"
// options: --cc clang-14
// expect: all=holds executions=1
#include <pthread.h>
#include <stddef.h>

struct box_t {
  int first, value;
  long cells[4];
  int last;
};

__attribute__((noinline, unused)) static int take(struct box_t box) { return box.last; }

static void* change(void* place) {
  struct box_t* const box = place;
  box->value = 1;     // @own
  box->cells[0] = 1;  // @own
  box->cells[1] = 1;  // @own
  return NULL;
}

int main(void) {
  struct box_t box = {0};
  pthread_t other;
  pthread_create(&other, NULL, change, &box);
  OWN;  // @own
  pthread_join(other, NULL);
  return 0;
}
