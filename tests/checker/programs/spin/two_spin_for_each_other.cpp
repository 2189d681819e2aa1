// SPDX-License-Identifier: MIT
// Two threads hand a baton to and fro; with both starting by waiting they never begin.
//
// case: one_begins
// expect: all=holds executions=1
//
// case: both_wait
// flags: -DBOTH_WAIT
// expect: all=violated:non-termination at=spin
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> baton{0};
int rounds = 0;

void pass(int mine, int next) {
  for (int i = 0; i < 2; i++) {
    while (baton.load(std::memory_order_acquire) != mine) {  // @spin
    }
    rounds++;
    baton.store(next, std::memory_order_release);
  }
}

int main() {
#ifdef BOTH_WAIT
  std::thread first(pass, 1, 2);
  std::thread second(pass, 2, 1);
#else
  std::thread first(pass, 0, 1);
  std::thread second(pass, 1, 0);
#endif
  first.join();
  second.join();
  assert(rounds == 4);
}
