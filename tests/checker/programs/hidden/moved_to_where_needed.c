// SPDX-License-Identifier: MIT
// What is read before it is known whether it is needed races all the same, though gcc would read it
// only then: a load goes into the branch that uses it, and of a struct that is passed by value only
// what the function reads is copied.
//
// case: used_on_one_path
// flags: -DONE_PATH
// expect: all=data-race at=write
//
// case: chosen_or_not
// flags: -DCHOSEN
// expect: all=data-race at=write
//
// case: read_where_it_is_used
// flags: -DWHERE_USED
// expect: all=holds
//
// case: another_member_is_used
// flags: -DMEMBER -O2
// expect: all=data-race at=write
//
// case: another_member_is_used_on_one_path
// flags: -DMEMBER_ON_ONE_PATH -O2
// expect: all=data-race at=write
//
// case: passed_and_not_used
// flags: -DPASSED -O2
// expect: all=data-race at=write
//
// case: used_on_one_path_with_clang
// flags: -DONE_PATH -O2
// options: --cc clang-14
// expect: all=data-race at=write
//
// case: passed_and_not_used_with_clang
// flags: -DPASSED -O2
// options: --cc clang-14
// expect: all=data-race at=write
#include <pthread.h>

struct five {
  long words[5];
};

static struct five shared;

#if defined ONE_PATH
__attribute__((noinline)) static long look(int wanted) {
  const long found = shared.words[0];
  if (wanted) return found;
  return 3;
}
#elif defined CHOSEN
__attribute__((noinline)) static long look(int wanted) {
  const long first = shared.words[0], second = shared.words[1];
  return wanted ? first + second : 3;
}
#elif defined WHERE_USED
__attribute__((noinline)) static long look(int wanted) { return wanted ? shared.words[0] : 3; }
#else
#if defined MEMBER
__attribute__((noinline)) static long of(struct five all, int wanted) {
  return wanted + all.words[1];
}
#elif defined MEMBER_ON_ONE_PATH
__attribute__((noinline)) static long of(struct five all, int wanted) {
  return wanted ? all.words[1] : 3;
}
#else
__attribute__((noinline)) static long of(struct five all, int wanted) {
  (void)all;
  return wanted;
}
#endif
static long look(int wanted) { return of(shared, wanted); }
#endif

static void* change(void* nothing) {
  shared.words[0] = 1;  // @write
  return nothing;
}

int main(int argc, char** argv) {
  (void)argv;
  pthread_t other;
  pthread_create(&other, NULL, change, NULL);
  (void)look(argc - 1);
  pthread_join(other, NULL);
  return 0;
}
