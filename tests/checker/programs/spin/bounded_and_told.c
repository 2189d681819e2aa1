// SPDX-License-Identifier: MIT
// Loops that spin for some rounds, and somebody can tell which: what was read in them decides of
// more than the end, or what counts the rounds is looked at later. Each has an execution that
// fails, which is lost if the rounds are not explored as they are written.
//
// Main stores 1, 2 and 3, one after the other.
//
// case: counter_afterwards
// flags: -DLOOP="int i=0;while(i<R&&look()!=2)++i;assert(i!=5);"
// expect: all=assertion
//
// case: compared_with_another_number
// flags: -DLOOP="int i=0;for(;i!=R;++i)if(look()==2)break;assert(i!=5);"
// expect: all=assertion
//
// case: counter_in_the_way_out
// flags: -DLOOP="for(int i=0;i<R;++i)if(look()==2){assert(i!=5);return;}"
// expect: all=assertion
//
// case: parity
// flags: -DLOOP="int i=0;while(i<R&&look()!=2)++i;if(i<R)assert(i%2==0);"
// expect: all=assertion
//
// case: round_in_the_middle
// flags: -DLOOP="for(int i=0;i<R;++i){const int v=look();if(v==2)return;assert(v!=1||i!=5);}"
// expect: all=assertion
//
// case: window
// flags: -DLOOP="for(int i=0;i<R;++i){const int v=look();if(v==3)return;if(v==1&&(unsigned)i-4<2)assert(0);}"
// expect: all=assertion
//
// case: both_in_one_test
// flags: -DLOOP="for(int i=0;i<R;++i){const int v=look();if((unsigned)(v*16+i-16)<3)return;assert(v*16+i!=21);}"
// expect: all=assertion
//
// case: early_and_late
// flags: -DLOOP="for(int i=0;i<R;++i){if(look()==1){if(i<3)return;assert(i!=5);}}"
// expect: all=assertion
//
// case: in_two_ways
// flags: -DLOOP="for(int i=0;i<R;++i){const int v=look();if(i<3){if(v!=0)return;}else assert(v!=2);}"
// expect: all=assertion
//
// case: limit_that_changes
// flags: -DLOOP="for(int i=0;i<R;++i){const int v=look();int limit=1;if(i>=3){PAUSE;limit=2;}if(v==limit){assert(limit!=2);return;}if(v!=0)return;}"
// expect: all=assertion
//
// case: looks_elsewhere_in_a_round
// flags: -DLOOP="for(int i=0;i<R;++i){if(i==5&&atomic_load(&other)==1)assert(0);if(look()!=0)return;}"
// expect: all=assertion
//
// case: sum
// flags: -DLOOP="int s=0;for(int i=0;i<R;++i)s+=look();assert(s!=4);"
// expect: all=assertion
//
// case: counts_what_it_reads
// flags: -DLOOP="int n=0;for(int i=0;i<R;++i){if(look()==1){PAUSE;++n;}}assert(n!=4);"
// expect: all=assertion
//
// case: remembers
// flags: -DLOOP="int s=0;for(int i=0;i<R;++i)s|=1<<look();assert(s!=15);"
// expect: all=assertion
//
// case: steps_by_what_it_reads
// flags: -DLOOP="int n=0;for(int i=0;i<R;++n)i+=look()==1?3:1;assert(n!=4);"
// expect: all=assertion
//
// case: bound_that_it_reads
// flags: -DLOOP="int i=0;for(;i<4+look();++i)atomic_load(&other);assert(i!=6);"
// expect: all=assertion
//
// case: counts_for_others
// flags: -DLOOP="for(int i=0;i<R;++i)if(look()==1)atomic_fetch_add(&other,2);assert(atomic_load(&other)!=8);"
// expect: all=assertion
//
// case: function_that_counts_for_others
// flags: -DLOOP="for(int i=0;i<R;++i)if(look_and_count())return;assert((atomic_load(&other)&6)!=4);"
// expect: all=assertion
//
// case: function_that_counts_for_itself
// flags: -DLOOP="for(int i=0;i<R;++i)if(look_and_remember())return;assert(remembered!=4);"
// expect: all=assertion
//
// case: function_behind_a_pointer
// flags: -DLOOP="for(int i=0;i<R;++i)if(looks())return;assert((atomic_load(&other)&6)!=4);"
// expect: all=assertion
//
// case: counter_kept_in_memory
// flags: -DLOOP="volatile int i=0;while(i<R&&look()!=2)i=i+1;assert(i!=5);"
// expect: all=assertion
//
// case: counts_in_memory
// flags: -DLOOP="volatile int n=0;for(int i=0;i<R&&look()!=2;++i)n=n+1;assert(n!=5);"
// expect: all=assertion
//
// case: counter_carried_into_a_loop_without_looks
// flags: -O0 -DLOOP="int i=0;for(;i<R;++i)if(look()==2)break;for(int k=0;k<2;++k)i+=1;assert(i!=7);"
// expect: all=assertion
//
// case: counter_carried_into_the_next_loop
// flags: -DLOOP="int i=0;for(int k=0;k<2;++k){for(;i<R;++i)if(look()==1+k)break;assert(k==0||i!=5);}"
// expect: all=assertion
//
// The last round finds 1, and then what was written after 2: one more round would find that, and
// leave.
// case: last_round
// flags: -DLOOP="int v=0,w=0,i=0;do{v=look();w=v==1?atomic_load(&other):1;if(v>1||w!=1)return;}while(++i<R);assert(v!=1);"
// expect: all=assertion
//
// What the last round finds would end each round before.
// case: last_look_is_not_tested
// flags: -DLOOP="int v=0;for(int i=0;i<R;++i){if(v!=0)return;v=look();}assert(v!=2);"
// expect: all=assertion
//
// A round looks twice, and the first look of the next one finds something else than the last look
// of this one: 0, 1; 2, 3.
// case: two_looks
// flags: -DLOOP="for(int i=0;i<2;++i)for(int j=0;j<2;++j)if((look_apart()&1)!=j)return;assert(0);"
// expect: all=assertion
//
// Which way a round goes on to the next one tells what it has read: at -O0 each way goes back to
// the loop's beginning by itself.
// case: counts_by_the_way_it_goes_on
// flags: -O0 -DLOOP="int ones=0,zeros=0;while(ones+zeros<4){if(look()){ones++;continue;}zeros++;}assert(ones==0||zeros==0);"
// expect: all=assertion
//
// case: steps_by_the_way_it_goes_on
// flags: -O0 -DLOOP="int i=0;while(i<10){const int v=look();if(v==2)return;if(v==1){i+=4;continue;}i+=1;}assert(i<12);"
// expect: all=assertion
//
// ... of which only the number of rounds in the middle tells.
// case: steps_further_by_the_way_it_goes_on
// flags: -O0 -DLOOP="int i=0;while(i<45){const int v=look();if(v==2)return;if(v==1){i+=10;continue;}i+=1;}assert(i!=46);"
// expect: all=assertion
//
// case: steps_by_the_way_it_jumps_back
// flags: -O0 -DLOOP="int i=0;again:if(i>=10)goto out;switch(look()){case 2:return;case 1:i+=4;PAUSE;goto again;default:i+=1;goto again;}out:assert(i<12);"
// expect: all=assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { R = 8 };
#define PAUSE __asm__ volatile("")
static atomic_int flag, other;
static int remembered;

static inline int look(void) { return atomic_load_explicit(&flag, memory_order_relaxed); }

__attribute__((noinline)) static int look_apart(void) { return look(); }

__attribute__((noinline)) static bool look_and_count(void) {
  const int v = look();
  if (v == 1) atomic_fetch_add(&other, 2);
  return v > 1;
}

__attribute__((noinline)) static bool look_and_remember(void) {
  const int v = look();
  if (v == 1) ++remembered;
  return v > 1;
}

static bool (*volatile looks)(void) = look_and_count;

static void spin(void) {
  (void)look_apart;
  (void)look_and_count;
  (void)look_and_remember;
  (void)looks;
  LOOP
}

static void* run(void* argument) {
  spin();
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, run, 0);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 2, memory_order_relaxed);
  atomic_fetch_or_explicit(&other, 1, memory_order_release);
  atomic_store_explicit(&flag, 3, memory_order_relaxed);
  pthread_join(thread, 0);
}
