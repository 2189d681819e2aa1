// SPDX-License-Identifier: MIT
// A thread spins on a flag for some rounds before it gives up, and nobody can tell how many it
// took: gcc's plugin proves that, and there are two outcomes, seen and not seen, as if it had
// looked once. Main stores 1 and then 2; who waits for 2 may see 1 and go on waiting.
//
// case: upwards
// flags: -DLOOP="for(int i=0;i<R;++i)if(is_set())return;missed();"
// expect: all=holds executions=3
//
// case: condition
// flags: -DLOOP="for(int i=0;i<R&&!is_set();++i)PAUSE;"
// expect: all=holds executions=3
//
// case: downwards
// flags: -DLOOP="int left=R;while(!is_set()){if(left--==0)return;}"
// expect: all=holds executions=3
//
// case: counting_down_to_nothing
// flags: -DLOOP="int spins=R;while(spins-->0){if(is_set())return;sched_yield();}missed();"
// expect: all=holds executions=3
//
// case: compared_with_its_bound
// flags: -DLOOP="int i;for(i=0;i<R&&!is_set();++i)PAUSE;if(i==R)missed();"
// expect: all=holds executions=3
//
// case: compared_with_a_bound_that_is_a_variable
// flags: -DLOOP="int n=argument!=0?R:R+1,i;for(i=0;i<n&&!is_set();++i)PAUSE;if(i<n)return;missed();"
// expect: all=holds
//
// case: pauses_that_grow
// flags: -DLOOP="for(int n=1;n<1<<R;n*=2){for(int j=0;j<n;++j)PAUSE;if(is_set())return;}missed();"
// expect: all=holds executions=3
//
// case: pauses_that_grow_to_a_limit
// flags: -DLOOP="int n=1;for(int i=0;i<R;++i){if(is_set())return;for(int j=0;j<n;++j)PAUSE;if(n<8)n*=2;}"
// expect: all=holds executions=3
//
// case: value_that_was_seen
// flags: -DLOOP="for(int i=0;i<R;++i){const int v=atomic_load(&flag);if(v==2){assert(v!=1);return;}}"
// expect: all=holds executions=3
//
// case: again_and_again
// flags: -DLOOP="for(int k=0;k<2;++k){for(int i=0;i<R;++i)if(is_set())return;missed();}"
// expect: all=holds executions=6
//
// case: two_flags
// flags: -DLOOP="for(int i=0;i<R;++i)if(is_set()&&atomic_load(&other)==1)return;missed();"
// expect: all=holds
//
// Of an outcome that there is one is told.
// case: seen
// flags: -DLOOP="for(int i=0;i<R;++i)if(is_set()){assert(0);}"
// expect: all=assertion
//
// case: runs_out
// flags: -DLOOP="for(int i=0;i<R;++i)if(is_set())return;assert(0);"
// expect: all=assertion
//
// case: ends_in_the_middle
// flags: -DLOOP="for(int i=0;i<R;++i){if(is_set())return;assert(i!=5);}"
// expect: all=assertion
//
// Two ways back to its beginning, of which each counts the same.
// case: goes_on_in_two_ways
// flags: -O0 -DLOOP="int i=0;while(i++<R){const int v=atomic_load(&flag);if(v==2)return;if(v==1){PAUSE;continue;}}missed();"
// expect: all=holds executions=3
//
// As many rounds as one likes, and a million at most.
// case: many_rounds
// flags: -DR=100000 -DLOOP="for(int i=0;i<R;++i)if(is_set())return;missed();"
// expect: all=holds executions=3
//
// case: too_many_rounds
// flags: -DR=2000000 -DLOOP="for(int i=0;i<R;++i)if(is_set())return;missed();"
// expect: c++20=inconclusive
//
// Explored as it is written, on request.
// case: as_written
// flags: -DLOOP="for(int i=0;i<R;++i)if(is_set())return;missed();"
// options: --no-bounded-spins
// expect: c++20=holds executions=66
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef R
#define R 10
#endif
#define PAUSE __asm__ volatile("" ::: "memory")

static atomic_int flag, other, times_missed;

static bool is_set(void) { return atomic_load_explicit(&flag, memory_order_acquire) == 2; }

static void missed(void) { atomic_fetch_add_explicit(&times_missed, 1, memory_order_relaxed); }

static void spin(const void* argument) {
  (void)argument;
  (void)missed;
  LOOP
}

static void* run(void* argument) {
  spin(argument);
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, run, 0);
  atomic_store_explicit(&other, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 2, memory_order_release);
  pthread_join(thread, 0);
}
