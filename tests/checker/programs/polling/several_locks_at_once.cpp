// SPDX-License-Identifier: MIT
// std::scoped_lock takes several locks by attempts in a loop, so that threads can make each other's
// rounds come to nothing again and again. Nothing is wrong with these programs. Of what the
// standard says of them there is one execution for each order of the threads; of the library's code
// with three threads and the same two locks there are too many (docs/checker/limits.md).
//
// case: two_threads
// expect: all=holds
//
// case: two_threads_that_start_at_another_lock
// flags: -DFIRST=1
// expect: all=holds
//
// case: two_threads_that_start_at_another_lock_unoptimised
// flags: -DFIRST=1 -O0
// expect: all=holds
//
// case: three_threads
// flags: -DTHREE
// expect: all=holds executions=6
//
// case: three_threads_by_the_librarys_code
// flags: -DTHREE
// options: --cc gcc --library-as-written
// expect: all=inconclusive says="in too many ways"
//
// case: philosophers
// flags: -DLOCKS=3 -DFIRST=2 -DTHREE
// expect: all=holds
//
// case: philosophers_unoptimised
// flags: -DLOCKS=3 -DFIRST=2 -DTHREE -O0
// expect: all=holds
//
// case: a_thread_that_takes_one_by_one
// flags: -DFIRST=1 -DONE_BY_ONE
// expect: all=holds
//
// case: threads_that_take_one_by_one_in_other_orders
// flags: -DFIRST=1 -DONE_BY_ONE -DTHREE
// expect: all=violated:deadlock
//
// case: a_lock_is_left_out
// flags: -DFIRST=1 -DLEFT_OUT
// expect: all=violated:data-race
#include <mutex>
#include <thread>

#ifndef LOCKS
#define LOCKS 2
#endif

std::mutex locks[LOCKS];
int used[LOCKS];

void use(int first, int second) {
#ifdef LEFT_OUT
  std::scoped_lock held(locks[first]);
#else
  std::scoped_lock held(locks[first], locks[second]);
#endif
  ++used[first];
  ++used[second];
}

void use_one_by_one(int first, int second) {
  std::lock_guard outer(locks[first]);
  std::lock_guard inner(locks[second]);
  ++used[first];
  ++used[second];
}

#ifdef FIRST
void begin_at(int first) { use(first, (first + 1) % LOCKS); }
#endif

int main() {
#ifdef FIRST
  std::thread one(begin_at, 0);
#else
  std::thread one([] { use(0, 1); });
#endif
#if defined(THREE) && defined(ONE_BY_ONE)
  std::thread another(use_one_by_one, 0, 1);
#elif defined(THREE)
  std::thread another([] { use(1, 2 % LOCKS); });
#endif
#if defined(ONE_BY_ONE)
  use_one_by_one(1, 0);
#elif defined(FIRST)
  begin_at(FIRST);
#else
  use(1, 0);
#endif
#ifdef THREE
  another.join();
#endif
  one.join();
}
