// SPDX-License-Identifier: MIT
// std::barrier. Arrivals have no order among them; with a completion function there is an execution
// for each thread that may be the last of its phase.
//
// case: two_threads
// expect: all=holds executions=1
// expect: c++14=holds executions=1
//
// case: two_threads_compiled_by_clang
// options: --cc clang-14
// expect: all=holds executions=1
//
// case: three_threads_and_four_phases
// flags: -DTHREADS=3 -DPHASES=4
// expect: all=holds executions=1
//
// case: whoever_is_the_last_completes
// flags: -DTHREADS=3 -DCOMPLETES
// expect: all=holds executions=3
//
// case: the_second_thread_may_be_the_last
// flags: -DCOMPLETES -DNEVER=1
// expect: all=violated:assertion at=never
//
// case: a_thread_too_few
// flags: -DEXPECTED=3
// expect: all=violated:deadlock at=wait says="T1 waits at the barrier meeting for 1 that"
//
// case: written_after_the_barrier
// flags: -DLATE
// expect: all=violated:data-race at=late
//
// case: completion_throws
// flags: -DCOMPLETES -DTHROWS
// expect: all=violated:uncaught
//
// case: barrier_is_no_fence
// flags: -DSTORES
// expect: c++20=violated:assertion x86=violated:assertion sc=holds at=both
#include <atomic>
#include <barrier>
#include <cassert>
#include <thread>
#include <vector>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef PHASES
#define PHASES 1
#endif
#ifndef EXPECTED
#define EXPECTED THREADS
#endif

int written[THREADS][PHASES];
std::atomic<int> stored[2];
int seen[2];

#ifdef COMPLETES
int phase = 0;
thread_local int me = -1;

struct complete {
  void operator()() {
    for (auto& of_thread : written) assert(of_thread[phase] == 1);
    phase++;
#ifdef NEVER
    assert(me != NEVER);  // @never
#endif
#ifdef THROWS
    throw 1;
#endif
  }
};

std::barrier<complete> meeting(EXPECTED);
#else
int me;
std::barrier meeting(EXPECTED);
#endif

void work(int number) {
#ifdef COMPLETES
  me = number;
#endif
  for (int round = 0; round < PHASES; round++) {
#ifndef LATE
    written[number][round] = 1;
#endif
    meeting.arrive_and_wait();  // @wait
#ifdef LATE
    written[number][round] = 1;                                     // @late
    for (auto& of_thread : written) assert(of_thread[round] >= 0);  // @late
#else
    for (auto& of_thread : written) assert(of_thread[round] == 1);
#endif
#ifdef COMPLETES
    assert(phase == round + 1);
#endif
  }
#ifdef STORES
  stored[number].store(1, std::memory_order_release);
  seen[number] = stored[1 - number].load(std::memory_order_acquire);
#endif
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < THREADS; i++) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
#ifdef STORES
  assert(seen[0] + seen[1] != 0);  // @both
#endif
}
