// SPDX-License-Identifier: MIT
// std::latch::try_wait. Where a program calls it, the order in which a latch is counted down is
// explored.
//
// case: two_count_and_one_polls
// expect: all=holds executions=2
// expect: c++14=holds executions=2
//
// case: polled_by_clangs_program
// options: --cc clang-14
// expect: all=holds executions=2
//
// case: polls_for_ever
// flags: -DEXPECTED=3
// expect: all=violated:non-termination at=poll
//
// case: asks_once
// flags: -DONCE
// expect: all=holds
//
// case: not_open_yet
// flags: -DONCE -DCERTAIN
// expect: all=violated:assertion at=certain
//
// case: waits_where_another_one_tries
// flags: -DWAITS
// expect: all=holds
//
// case: waits_for_ever_where_another_one_tries
// flags: -DWAITS -DEXPECTED=3
// expect: all=violated:deadlock at=wait says="main waits for the latch gate, which is at 1,"
#include <cassert>
#include <latch>
#include <thread>

#ifndef EXPECTED
#define EXPECTED 2
#endif

int payload[2];
std::latch gate(EXPECTED);

int main() {
  auto work = [](int me) {
    payload[me] = 42;
    gate.count_down();
#ifdef WAITS
    if (gate.try_wait()) assert(payload[1 - me] == 42);
#endif
  };
  std::thread a(work, 0), b(work, 1);
#if defined(WAITS)
  gate.wait();  // @wait
  assert(gate.try_wait());
#elif defined(ONCE)
  const bool open = gate.try_wait();
#ifdef CERTAIN
  assert(open);  // @certain
#endif
  if (open) assert(payload[0] + payload[1] == 84);
#else
  while (!gate.try_wait()) {  // @poll
  }
  assert(payload[0] + payload[1] == 84);
#endif
  a.join(), b.join();
}
