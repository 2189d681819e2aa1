// SPDX-License-Identifier: MIT
// The address of a local variable is handed to another thread after the variable's scope. gcc moves
// the address out of the scope, and the variable does not begin once more there.
//
// case: of_a_block
// flags: -DBLOCK
// expect: all=memory at=read says="after its scope"
//
// case: of_a_block_whose_place_another_variable_has
// flags: -DBLOCK -DANOTHER -O2
// expect: all=memory at=read says="after its scope"
//
// case: of_a_block_whose_place_a_living_variable_would_have
// flags: -DBLOCK -DLIVING -O2
// expect: all=memory at=read says="after its scope"
//
// case: of_a_block_whose_place_a_living_variable_would_have_by_clang
// flags: -DBLOCK -DLIVING -O2
// options: --cc clang-14
// expect: all=memory at=read says="after its scope"
//
// case: of_an_inlined_function
// flags: -DFUNCTION -O2
// expect: all=memory at=read says="after its scope"
//
// case: in_a_struct_that_an_inlined_function_returns
// flags: -DRETURNED -O2
// expect: all=memory at=read says="after its scope"
//
// case: of_a_parameter_of_an_inlined_function
// flags: -DPARAMETER -O2
// expect: all=memory at=read says="after its scope"
//
// case: of_a_compound_literal
// flags: -DLITERAL
// options: --cc gcc
// expect: all=memory at=read says="after its scope"
//
// case: within_the_scope
// flags: -DWITHIN
// expect: all=holds
//
// case: within_each_round_of_a_loop
// flags: -DROUNDS
// expect: all=holds
//
// case: what_a_jump_passed_by_keeps_its_value
// flags: -DJUMP -O2
// expect: all=holds
//
// case: used_by_a_function_inside
// flags: -DINSIDE
// options: --cc gcc
// expect: all=inconclusive at=inside says="functions inside"
#include <assert.h>
#include <pthread.h>

volatile int one = 1;
#ifdef LIVING
int* volatile kept;
#endif

static void* use(void* at) {
  assert(*(int*)at == 1);  // @read
  return 0;
}

static void run(int* at) {
  pthread_t t;
  pthread_create(&t, 0, use, at);
  pthread_join(t, 0);
}

#if defined ANOTHER || defined LIVING
__attribute__((noinline)) static void more(int* at) { *at += 1; }
#endif

#ifdef FUNCTION
static inline void make(int** at) {
  int local = one;
  *at = &local;
}
#elif defined RETURNED
struct holder {
  int* at;
};
static inline struct holder make(void) {
  int local = one;
  struct holder h = {&local};
  return h;
}
#elif defined PARAMETER
static inline int* make(int local) {
  int* at = &local;
  return at;
}
#elif defined JUMP
__attribute__((noinline)) static void set(int* at, int which) {
  if (which == 1) *at = 1;
}

static int after(int which) {
  switch (which) {
    int local;
    case 0:
      local = 1;
      run(&local);
      // fallthrough
    case 1:
      set(&local, which);
      run(&local);
      return local;
  }
  return 0;
}
#endif

int main(void) {  // @inside
#ifdef BLOCK
  int* at;
  {
    int local = one;
    at = &local;
#ifdef LIVING
    kept = at;
#endif
  }
#ifdef ANOTHER
  pthread_t t;
  pthread_create(&t, 0, use, at);
  {
    int other = 5;
    more(&other);
  }
  pthread_join(t, 0);
#elif defined LIVING
  int other = 0;
  more(&other);
  run(kept);
  more(&other);
#else
  run(at);
#endif
#elif defined FUNCTION
  int* at;
  make(&at);
  run(at);
#elif defined RETURNED
  run(make().at);
#elif defined PARAMETER
  run(make(one));
#elif defined LITERAL
  int* at;
  { at = (int[]){one, 2}; }
  run(at);
#elif defined WITHIN
  {
    int local = one;
    run(&local);
  }
#elif defined ROUNDS
  for (int i = 0; i < 3; ++i) {
    int local = one;
    run(&local);
    local = 0;
  }
#elif defined JUMP
  assert(after(0) == 1);
  assert(after(1) == 1);
#elif defined INSIDE
  int local = 0;
  void more(void) { local += one; }
  more();
  run(&local);
#endif
}
