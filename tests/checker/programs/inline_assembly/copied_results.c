// SPDX-License-Identifier: MIT
// What inline assembly gives in a register or a flag gcc stores in the variable, as any assignment
// does: that is no access of the statement's own, and races.
//
// case: in_a_register
// flags: -DDO=in_a_register
// expect: all=data-race at=put
//
// case: in_a_register_at_O0
// flags: -DDO=in_a_register -O0
// expect: all=data-race at=put
//
// case: in_an_array
// flags: -DDO=in_an_array -O2
// expect: all=data-race at=put
//
// case: in_either_place
// flags: -DDO=in_either_place
// expect: all=data-race at=put
//
// case: in_a_bit_field
// flags: -DDO=in_a_bit_field
// expect: all=data-race at=put
//
// case: changed_in_a_register
// flags: -DDO=changed
// expect: all=data-race at=put
//
// case: of_a_struct
// flags: -DDO=of_a_struct
// expect: all=data-race at=put
//
// case: a_struct_that_is_read
// flags: -DDO=a_struct_is_read
// expect: all=data-race
//
// case: of_a_flag
// flags: -DDO=of_a_flag
// expect: all=data-race at=put
//
// case: with_a_jump
// flags: -DDO=with_a_jump
// expect: all=data-race at=put
//
// case: with_a_jump_that_is_taken
// flags: -DDO=with_a_jump -DTAKEN
// expect: all=data-race at=put
//
// case: where_memory_is_gone
// flags: -DDO=where_it_is_gone
// expect: all=memory at=gone
//
// case: one_after_the_other
// flags: -DDO=in_a_register -DJOINED
// expect: all=holds executions=1
//
// case: flags_one_after_the_other
// flags: -DDO=of_a_flag -DJOINED -O2
// expect: all=holds executions=1
//
// case: jumps_one_after_the_other
// flags: -DDO=with_a_jump -DJOINED
// expect: all=holds executions=1
//
// case: by_clang
// flags: -DDO=in_a_register
// options: --cc clang-14
// expect: all=data-race at=put
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static struct all {
  int word, array[3];
  bool flag;
  struct {
    int word;
  } one;
  unsigned bits : 5;
} all;

#define FUNCTION __attribute__((unused, noinline)) static void

FUNCTION in_a_register(int i) {
  __asm__("movl %1, %0" : "=r"(all.word) : "r"(i));  // @put
}
FUNCTION in_an_array(int i) {
  __asm__("bsrl %1, %0" : "=r"(all.array[i]) : "r"(i) : "cc");  // @put
}
FUNCTION in_either_place(int i) {
  __asm__ volatile("movl $3, %0" : "=rm"(all.array[i]));  // @put
}
FUNCTION in_a_bit_field(int i) {
  __asm__("movl %1, %k0" : "=r"(all.bits) : "r"(i));  // @put
}
FUNCTION changed(int i) {
  __asm__("addl %1, %0" : "+r"(all.word) : "r"(i) : "cc");  // @put
}
FUNCTION of_a_struct(int i) {
  __asm__("addl %1, %0" : "+r"(all.one) : "r"(i) : "cc");  // @put
}
FUNCTION a_struct_is_read(int i) { __asm__("" : : "r"(all.one), "r"(i)); }
FUNCTION of_a_flag(int i) {
  __asm__("testl %1, %1" : "=@ccnz"(all.flag) : "r"(i));  // @put
}
FUNCTION with_a_jump(int i) {
#ifdef TAKEN
  __asm__ goto("movl %1, %0; jmp %l2" : "=r"(all.word) : "r"(i) : : taken);  // @put
#else
  __asm__ goto("movl %1, %0; jz %l2" : "=r"(all.word) : "r"(i) : : taken);  // @put
#endif
  all.array[0] = 1;
taken:;
}
FUNCTION where_it_is_gone(int i) {
  int* const given = malloc(sizeof *given);
  free(given);
  __asm__ volatile("movl %1, %0" : "=r"(*given) : "r"(i));  // @gone
}

static void* run(void* nothing) {
  DO(1);
  return nothing;
}

static bool looks(void) {
  return all.word != 0 || all.array[1] != 0 || all.flag || all.bits != 0 || all.one.word != 0;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, run, NULL);
#ifdef JOINED
  pthread_join(other, NULL);
  return !looks();
#else
  all.one.word = 0;
  (void)looks();
  pthread_join(other, NULL);
  return 0;
#endif
}
