// SPDX-License-Identifier: MIT
// std::latch used as it must not be, and in ways that are just allowed.
//
// case: counted_below_zero
// flags: -DCOUNTS=3
// expect: all=violated:memory at=count says="main counts the latch .* down by 3, which is at 2"
//
// case: counted_below_zero_by_several
// flags: -DSEVERAL
// expect: all=violated:memory at=several says="counts the latch .* down by 1, which is at 0"
//
// case: counted_below_zero_where_somebody_tries
// flags: -DSEVERAL -DTRIED
// expect: all=violated:memory at=several says="counts the latch .* down by 1, which is at 0"
//
// case: counted_up
// flags: -DCOUNTS=-1
// expect: all=violated:memory at=count says="down by -1"
//
// case: made_for_less_than_nobody
// flags: -DEXPECTED=-1
// expect: all=violated:memory at=make says="it must be 0 to"
//
// case: freed_while_somebody_waits
// flags: -DFREED
// expect: all=violated:memory|data-race
//
// case: freed_by_who_came_through_while_others_do
// flags: -DFREED -DTHROUGH
// expect: all=violated:memory|data-race
//
// case: freed_by_who_came_through_when_all_have_counted
// flags: -DFREED -DTHROUGH -DONLY_COUNTS
// expect: all=holds executions=1
//
// case: made_anew_while_somebody_waits
// flags: -DANEW
// expect: all=violated:memory|data-race
//
// case: a_detached_thread_waits_when_main_returns
// flags: -DDETACHED
// expect: all=holds
#include <latch>
#include <memory>
#include <optional>
#include <thread>

#ifndef EXPECTED
#define EXPECTED 2
#endif

constinit std::latch global(1);

int main() {
#if defined(COUNTS)
  std::latch latch(EXPECTED);
  latch.count_down(COUNTS);  // @count
#elif defined(SEVERAL)
  std::latch latch(EXPECTED);
  auto count = [&] { latch.count_down(); };  // @several
  std::thread a(count), b(count), c(count);
#ifdef TRIED
  (void)latch.try_wait();
#endif
  a.join(), b.join(), c.join();
#elif defined(FREED)
  auto latch = std::make_unique<std::latch>(2);
  std::thread other([&latch = *latch] {
#ifdef ONLY_COUNTS
    latch.count_down();
#else
    latch.arrive_and_wait();
#endif
  });
#ifdef THROUGH
  latch->arrive_and_wait();
#endif
  latch.reset();
  other.join();
#elif defined(ANEW)
  std::optional<std::latch> latch(std::in_place, 2);
  std::thread other([&] { latch->arrive_and_wait(); });
  latch.emplace(2);
  latch->arrive_and_wait();
  other.join();
#elif defined(DETACHED)
  std::thread([] { global.wait(); }).detach();
#else
  std::latch latch(EXPECTED);  // @make
#endif
}
