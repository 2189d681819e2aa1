// SPDX-License-Identifier: MIT
// Structs by value in C, where gcc announces neither what a call reads nor where it returns to.
//
// case: passed
// flags: -DFIRST="take(shared)"
// expect: all=refused at=first says="pass it by value"
//
// case: a_member_is_passed
// flags: -DFIRST="take(whole.part)"
// expect: all=refused at=first says="pass it by value"
//
// case: passed_by_way_of_a_local_variable
// flags: -DFIRST="struct record copy=shared;take(copy)"
// expect: all=violated:data-race
//
// case: passed_when_its_address_is_known_elsewhere
// flags: -DFIRST="struct record mine;remember(&mine);take(mine)"
// expect: all=refused at=first
//
// case: passed_in_a_loop_at_whose_end_its_address_is_told
// flags: -DFIRST="struct record mine={{0},0};for(int i=0;i<2;i++){take(mine);remember(&mine);}"
// expect: all=refused at=first
//
// case: returned
// flags: -DFIRST="shared=give()"
// expect: all=refused at=first says="returns a struct"
//
// case: returned_through_a_pointer
// flags: -DFIRST="*known=give()"
// expect: all=refused at=first says="returns a struct"
//
// case: returned_again_into_a_variable_that_others_know
// flags: -DFIRST="struct record mine={{0},0};remember(&mine);mine=give();look()"
// expect: all=refused at=first says="returns a struct"
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
struct record* known = &shared;

__attribute__((noinline)) static void take(struct record r) { assert(r.cells[3] + r.last != 99); }
__attribute__((noinline)) static struct record give(void) {
  struct record r = {{1, 2, 3}, 4};
  return r;
}
__attribute__((noinline)) static void remember(struct record* r) { known = r; }
__attribute__((noinline)) static void look(void) { assert(known->last != 99); }
__attribute__((noinline)) static void call(struct record (*f)(void)) { take(f()); }

static void* first(void* unused) {
  (void)unused;
  FIRST;  // @first
  return NULL;
}

static void* second(void* unused) {
  (void)unused;
  shared.last = 1;
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  (void)take, (void)give, (void)remember, (void)call, (void)look;
  return 0;
}
