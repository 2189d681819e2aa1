// SPDX-License-Identifier: MIT
// Structs by value in C: what a call reads, and where it returns to, counts like any access.
//
// case: passed
// flags: -DFIRST="take(shared)"
// expect: all=violated:data-race at=second
//
// case: a_member_is_passed
// flags: -DFIRST="take(whole.part)" -DSECOND="whole.part.last=1"
// expect: all=violated:data-race at=second
//
// case: another_member_is_passed
// flags: -DFIRST="take(whole.part)" -DSECOND="whole.before=1"
// expect: all=holds executions=1
//
// case: passed_by_way_of_a_local_variable
// flags: -DFIRST="struct record copy=shared;take(copy)"
// expect: all=violated:data-race
//
// case: passed_when_its_address_is_known_elsewhere
// flags: -DFIRST="struct record mine;remember(&mine);take(mine)" -DSECOND="change()"
// expect: all=violated:data-race|memory
//
// case: passed_in_a_loop_at_whose_end_its_address_is_told
// flags: -DFIRST="struct record mine={{0},0};for(int i=0;i<2;i++){take(mine);remember(&mine);}" -DSECOND="change()"
// expect: all=violated:data-race|memory
//
// case: returned
// flags: -DFIRST="shared=give()"
// expect: all=violated:data-race at=second
//
// case: returned_through_a_pointer
// flags: -DFIRST="*known=give()"
// expect: all=violated:data-race at=second
//
// case: returned_again_into_a_variable_that_others_know
// flags: -DFIRST="struct record mine={{0},0};remember(&mine);mine=give();look()" -DSECOND="change()"
// expect: all=violated:data-race|memory
//
// case: passed_on_from_one_to_the_other
// flags: -DFIRST="take(give())"
// expect: all=holds executions=1
//
// case: a_function_is_passed
// flags: -DFIRST="call(give)"
// expect: all=holds executions=1
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct record {
  int cells[7];
  long last;
};

struct record shared;
struct {
  long before;
  struct record part;
} whole;
struct record* _Atomic known = &shared;

#ifndef SECOND
#define SECOND shared.last = 1
#endif

__attribute__((noinline)) static void take(struct record r) { assert(r.cells[3] + r.last != 99); }
__attribute__((noinline)) static struct record give(void) {
  struct record r = {{1, 2, 3}, 4};
  return r;
}
__attribute__((noinline)) static void remember(struct record* r) { known = r; }
__attribute__((noinline)) static void look(void) { assert(known->last != 99); }
// A variable of the other thread's, if that has told its address.
__attribute__((noinline)) static void change(void) { known->last = 1; }
__attribute__((noinline)) static void call(struct record (*f)(void)) { take(f()); }

static void* first(void* unused) {
  (void)unused;
  FIRST;  // @first
  return NULL;
}

static void* second(void* unused) {
  (void)unused;
  SECOND;  // @second
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  (void)take, (void)give, (void)remember, (void)call, (void)look, (void)change;
  return 0;
}
