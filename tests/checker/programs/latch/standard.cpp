// SPDX-License-Identifier: MIT
// std::latch. In what order it is counted down tells nobody anything, and multiplies nothing.
//
// case: three_threads_meet
// expect: all=holds executions=1
// expect: c++14=holds executions=1
//
// case: five_threads_compiled_by_clang
// flags: -DTHREADS=5
// options: --cc clang-14
// expect: all=holds executions=1
//
// case: identical_threads
// flags: -DALIKE
// options: --symmetry
// expect: all=holds executions=1
//
// case: a_thread_too_few
// flags: -DEXPECTED=THREADS+2
// expect: all=violated:deadlock at=wait says="T1 waits for the latch meeting, which is at 2,"
//
// case: written_after_the_latch
// flags: -DLATE
// expect: all=violated:data-race at=late
//
// case: who_waits_later_comes_after_all
// flags: -DCOUNTED
// expect: all=holds executions=1
//
// case: one_that_is_no_more_is_counted_down_no_more
// flags: -DTHREADS=2 -DANEW
// expect: all=holds executions=1
//
// case: to_wait_is_no_fence
// flags: -DTHREADS=2 -DSTORES
// expect: c++20=violated:assertion x86=violated:assertion sc=holds at=both
//
// case: to_count_down_is_one_on_x86
// flags: -DTHREADS=2 -DSTORES -DBETWEEN
// expect: c++20=violated:assertion x86=holds sc=holds at=both
#include <atomic>
#include <cassert>
#include <latch>
#include <optional>
#include <thread>
#include <vector>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef EXPECTED
#define EXPECTED THREADS
#endif

int written[THREADS];
std::atomic<int> stored[2];
int seen[2];
constinit std::latch meeting(EXPECTED);

void meet(int me) {
#ifdef STORES
  meeting.count_down();
  meeting.wait();
  stored[me].store(1, std::memory_order_release);
#ifdef BETWEEN
  std::latch own(1);
  own.count_down();
#else
  std::latch(0).wait();
#endif
  seen[me] = stored[1 - me].load(std::memory_order_acquire);
#else
#ifndef LATE
  written[me] = 1;
#endif
  meeting.arrive_and_wait();                              // @wait
#ifdef LATE
  written[me] = 1;                                        // @late
  for (int& of_thread : written) assert(of_thread >= 0);  // @late
#else
  for (int& of_thread : written) assert(of_thread == 1);
#endif
#endif
}

int main() {
  std::vector<std::thread> threads;
#if defined(ALIKE)
  for (int i = 0; i < THREADS; i++) threads.emplace_back([] { meeting.arrive_and_wait(); });
#elif defined(COUNTED)
  auto work = [](int me) {
    written[me] = 1;
    meeting.count_down();
    meeting.count_down(0);
  };
  for (int i = 0; i < THREADS; i++) threads.emplace_back(work, i);
  meeting.wait();
  for (int& of_thread : written) assert(of_thread == 1);
#elif defined(ANEW)
  std::optional<std::latch> again;
  for (int round = 1; round <= 2; round++) {
    again.emplace(THREADS + 1);
    auto work = [&](int me) {
      written[me] = round;
      again->arrive_and_wait();
    };
    for (int i = 0; i < THREADS; i++) threads.emplace_back(work, i);
    again->arrive_and_wait();
    for (int& of_thread : written) assert(of_thread == round);
    for (std::thread& thread : threads) thread.join();
    threads.clear();
  }
#else
  for (int i = 0; i < THREADS; i++) threads.emplace_back(meet, i);
#endif
  for (std::thread& thread : threads) thread.join();
#ifdef STORES
  assert(seen[0] + seen[1] != 0);  // @both
#endif
}
