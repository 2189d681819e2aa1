// SPDX-License-Identifier: MIT
// std::barrier used as it must not be.
//
// case: more_arrivals_than_are_expected
// flags: -DARRIVES=3
// expect: all=violated:memory at=arrive says="main arrives 3 times at the barrier.*expects 2 more"
//
// case: more_arrivals_than_are_left
// flags: -DARRIVES=1 -DTHEN=2
// expect: all=violated:memory at=then says="main arrives 2 times at the barrier.*expects 1 more"
//
// case: nobody_is_expected_any_more
// flags: -DALL_DROP
// expect: all=violated:memory at=then says="expects 0 more"
//
// case: made_for_less_than_nobody
// flags: -DEXPECTED=-1
// expect: all=violated:memory at=make says="it must be 0 to"
//
// case: destroyed_while_somebody_waits
// flags: -DDESTROYED
// expect: all=violated:memory|data-race says="(T1 waits|destroyed|data race|freed)"
//
// case: destroyed_by_who_came_through
// flags: -DDESTROYED -DTHROUGH
// expect: all=violated:data-race|memory
//
// case: destroyed_when_all_have_joined
// flags: -DDESTROYED -DTHROUGH -DJOINED
// expect: all=holds executions=1
//
// case: used_after_it_was_destroyed
// flags: -DUSED_AFTER
// expect: all=violated:memory at=after says="which is destroyed"
//
// case: three_threads_at_a_barrier_for_two
// flags: -DCROWD
// expect: all=inconclusive at=crowd says="more threads than the barrier counts.*as-written"
//
// case: token_of_a_phase_long_gone
// flags: -DOLD_TOKEN
// expect: all=violated:memory at=old says="for a phase before the last one that ended"
//
// case: token_of_the_phase_before
// flags: -DOLD_TOKEN -DPHASES=1
// expect: all=holds executions=1
//
// case: comes_again_while_the_completion_runs
// flags: -DIN_COMPLETION
// expect: all=violated:memory says="while the completion function of the phase before may still run"
#include <atomic>
#include <barrier>
#include <memory>
#include <thread>
#include <utility>

#ifndef EXPECTED
#define EXPECTED 2
#endif
#ifndef PHASES
#define PHASES 2
#endif

int main() {
#if defined(ARRIVES)
  std::barrier meeting(EXPECTED);
  (void)meeting.arrive(ARRIVES);  // @arrive
#ifdef THEN
  (void)meeting.arrive(THEN);  // @then
#endif
#elif defined(ALL_DROP)
  std::barrier meeting(EXPECTED);
  meeting.arrive_and_drop();
  meeting.arrive_and_drop();
  (void)meeting.arrive();  // @then
#elif defined(DESTROYED)
  auto meeting = std::make_unique<std::barrier<>>(2);
  std::thread other([&meeting = *meeting] { meeting.arrive_and_wait(); });
#ifdef THROUGH
  meeting->arrive_and_wait();
#endif
#ifdef JOINED
  other.join();
  meeting.reset();
#else
  meeting.reset();
  other.join();
#endif
#elif defined(USED_AFTER)
  alignas(std::barrier<>) unsigned char bytes[sizeof(std::barrier<>)];
  auto* meeting = new (bytes) std::barrier<>(1);
  meeting->arrive_and_wait();
  std::destroy_at(meeting);
  meeting->arrive_and_wait();  // @after
#elif defined(CROWD)
  std::barrier meeting(2);
  auto come = [&] { meeting.arrive_and_wait(); };  // @crowd
  std::thread a(come), b(come), c(come);
  a.join(), b.join(), c.join();
#elif defined(OLD_TOKEN)
  std::barrier meeting(1);
  auto token = meeting.arrive();
  for (int i = 0; i < PHASES - 1; i++) meeting.arrive_and_wait();
  meeting.wait(std::move(token));  // @old
#elif defined(IN_COMPLETION)
  std::atomic<bool> completing = false;
  auto complete = [&]() noexcept { completing = true; };
  std::barrier meeting(2, complete);
  std::thread other([&] { meeting.arrive_and_wait(); });
  (void)meeting.arrive();
  while (!completing) {
  }
  (void)meeting.arrive();
  other.join();
#else
  std::barrier meeting(EXPECTED);  // @make
#endif
}
