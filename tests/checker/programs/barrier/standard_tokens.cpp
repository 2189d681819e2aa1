// SPDX-License-Identifier: MIT
// std::barrier, arrived at without waiting: a thread that goes on at once, waits later or never.
//
// case: works_between_arriving_and_waiting
// expect: all=holds executions=1
//
// case: two_who_go_on_and_a_completion
// flags: -DCOMPLETES
// expect: all=holds executions=2
// expect: c++14=holds executions=2
//
// case: works_while_the_other_one_completes
// flags: -DCOMPLETES -DTOUCHES
// expect: all=violated:data-race at=touch
//
// case: as_the_library_is_written_it_works_while_the_other_one_completes
// flags: -DCOMPLETES -DTOUCHES
// options: --library-as-written
// expect: x86=violated:data-race at=touch
//
// case: who_comes_later_finds_it_completed
// flags: -DCOMPLETES -DTOLD
// expect: all=holds
//
// case: who_comes_later_completes_itself
// flags: -DCOMPLETES -DTOLD -DNEVER=1
// expect: all=violated:assertion at=never
//
// case: one_arrives_for_both
// flags: -DFOR_BOTH
// expect: all=holds executions=1
//
// case: one_drops_out_and_completes_or_not
// flags: -DDROPS -DCOMPLETES
// expect: all=holds executions=2
//
// case: what_who_went_on_writes_is_read_before_the_other_one_comes
// flags: -DCOMPLETES -DREAD_BEFORE
// expect: all=violated:assertion at=before
//
// case: what_who_completes_writes_is_not_read_before_the_other_one_comes
// flags: -DCOMPLETES -DREAD_BEFORE=2
// expect: all=holds executions=2
#include <atomic>
#include <barrier>
#include <cassert>
#include <thread>
#include <utility>

int written[2];
std::atomic<int> flag;

#ifdef COMPLETES
int completed = 0;
thread_local int me = 0;
struct complete {
  void operator()() noexcept {
#ifdef NEVER
    assert(me != NEVER);  // @never
#endif
#if defined(READ_BEFORE) && READ_BEFORE == 2
    if (me == 0) flag = 1;
#endif
    completed++;  // @touch
  }
};
std::barrier<complete> meeting(2);
#else
std::barrier meeting(2);
#endif

void one(int number) {
#ifdef COMPLETES
  me = number;
#endif
#ifdef READ_BEFORE
  if (number == 1) assert(flag == 0);  // @before
#endif
  written[number] = 1;
  auto token = meeting.arrive();
#ifdef TOUCHES
  if (number == 0) completed = 5;  // @touch
#endif
#ifdef TOLD
  if (number == 0) flag.store(1, std::memory_order_release);
  if (number == 1 && flag.load(std::memory_order_acquire) == 1) assert(completed == 1);
#endif
#if defined(READ_BEFORE) && READ_BEFORE == 1
  if (number == 0) flag = 1;
#endif
  meeting.wait(std::move(token));
  assert(written[1 - number] == 1);
#if defined(COMPLETES) && !defined(TOUCHES)
  assert(completed == 1);
#endif
}

int main() {
#if defined(FOR_BOTH)
  std::thread other([] {
    auto token = meeting.arrive(2);
    meeting.wait(std::move(token));
  });
#elif defined(DROPS)
  std::thread other([] {
    written[1] = 1;
    meeting.arrive_and_drop();
  });
  meeting.arrive_and_wait();
  assert(written[1] == 1);
  meeting.arrive_and_wait();
#ifdef COMPLETES
  assert(completed == 2);
#endif
#else
  std::thread other(one, 1);
  one(0);
#endif
  other.join();
}
