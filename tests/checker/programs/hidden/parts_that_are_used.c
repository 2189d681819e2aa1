// SPDX-License-Identifier: MIT
// A complex number or a vector that is copied is read as a whole, though gcc would load only the
// parts of the copy that are used.
//
// case: of_a_complex_number
// flags: -DCOMPLEX
// expect: all=data-race at=write
//
// case: of_a_complex_number_optimised_more
// flags: -DCOMPLEX -O2
// expect: all=data-race at=write
//
// case: a_half_of_a_complex_number
// flags: -DCOMPLEX -DA_PART
// expect: all=holds executions=1
//
// case: of_a_wide_vector
// flags: -DVECTOR
// expect: all=data-race at=write
//
// case: of_a_wide_vector_optimised_more
// flags: -DVECTOR -O2
// expect: all=data-race at=write
//
// case: an_element_of_a_vector
// flags: -DVECTOR -DA_PART
// options: --cc gcc
// expect: all=holds executions=1
//
// case: where_a_flag_asks_for_it
// flags: -DCOMPLEX -ftree-forwprop
// options: --cc gcc
// expect: all=data-race at=write
//
// case: of_a_complex_number_with_clang
// flags: -DCOMPLEX -O2
// options: --cc clang-14
// expect: all=data-race at=write
#include <pthread.h>

#ifdef VECTOR
typedef int several __attribute__((vector_size(64)));
#define FIRST(v) (v)[0]
#define LATER(v) (v)[9]
#else
typedef _Complex double several;
#define FIRST(v) __real__(v)
#define LATER(v) __imag__(v)
#endif

static several shared;

static void* change(void* nothing) {
  LATER(shared) = 1;  // @write
  return nothing;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, change, NULL);
#ifdef A_PART
  const int found = FIRST(shared) != 0;
#else
  const several copy = shared;
  const int found = FIRST(copy) != 0;
#endif
  pthread_join(other, NULL);
  return found;
}
