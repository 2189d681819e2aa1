// SPDX-License-Identifier: MIT
// Races on plain memory, of every pairing, and what is not one.
//
// case: write_write
// flags: -DFIRST="x=1" -DSECOND="x=2"
// expect: all=violated:data-race at=race
//
// case: write_read
// flags: -DFIRST="x=1" -DSECOND="use(x)"
// expect: all=violated:data-race at=race
//
// case: read_read
// flags: -DFIRST="use(x)" -DSECOND="use(x)"
// expect: all=holds executions=1
//
// case: neighbours
// flags: -DFIRST="pair.left=1" -DSECOND="pair.right=2"
// expect: all=holds executions=1
//
// case: bit_fields_of_one_unit
// flags: -DFIRST="bits.left=1" -DSECOND="bits.right=2"
// expect: all=violated:data-race at=race
//
// case: copied_as_a_whole
// flags: -DFIRST="pair=other" -DSECOND="use(pair.right)"
// expect: all=violated:data-race at=race
//
// case: memset
// flags: -DFIRST="memset(&pair,0,sizeof(pair))" -DSECOND="use(pair.right)"
// expect: all=violated:data-race
//
// case: memcpy
// flags: -DFIRST="memcpy(&pair,&other,sizeof(pair))" -DSECOND="other.left=3"
// expect: all=violated:data-race
//
// case: volatile_is_not_atomic
// flags: -DFIRST="v=1" -DSECOND="use(v)"
// expect: all=violated:data-race at=race
//
// case: volatile_ordered_by_another_object
// flags: -DFIRST="v=1;atomic_store(&a,1)" -DSECOND="if(atomic_load(&a))use(v)"
// expect: all=holds executions=2
//
// case: plain_beside_atomic
// flags: -DFIRST="*(int*)&a=1" -DSECOND="atomic_load(&a)"
// expect: all=violated:data-race at=race
//
// case: atomic_beside_plain_read
// flags: -DFIRST="atomic_store(&a,1)" -DSECOND="use(*(int*)&a)"
// expect: all=violated:data-race at=race
//
// case: atomic_beside_atomic
// flags: -DFIRST="atomic_store(&a,1)" -DSECOND="atomic_load(&a)"
// expect: all=holds executions=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

int x;
volatile int v;
atomic_int a;
struct {
  int left;
  int right;
} pair, other;
struct {
  unsigned left : 4;
  unsigned right : 4;
} bits;

void use(int value);
void use(int value) { assert(value != 99); }

static void* first(void* unused) {
  (void)unused;
  FIRST;  // @race
  return NULL;
}

static void* second(void* unused) {
  (void)unused;
  SECOND;  // @race
  return NULL;
}

int main(void) {
  pthread_t t1, t2;
  pthread_create(&t1, NULL, first, NULL);
  pthread_create(&t2, NULL, second, NULL);
  pthread_join(t1, NULL);
  pthread_join(t2, NULL);
  return x == -1 || v == -1 || other.left == -1 || bits.left == 15;
}
