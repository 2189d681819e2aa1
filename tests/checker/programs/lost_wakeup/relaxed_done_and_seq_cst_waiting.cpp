// SPDX-License-Identifier: MIT
// The waiter's state is seq_cst from end to end, the flag it waits for is relaxed: one seq_cst
// location orders nothing by itself.
//
// case: done_relaxed
// expect: c++20=violated:lost-wakeup x86=violated:lost-wakeup sc=holds at=sleep
//
// case: done_relaxed_and_the_state_swapped
// flags: -DSWAP
// expect: c++20=violated:lost-wakeup x86=holds sc=holds at=sleep
//
// case: done_seq_cst
// flags: -DDONE=seq_cst
// expect: all=holds
//
// case: done_seq_cst_and_the_state_swapped
// flags: -DDONE=seq_cst -DSWAP
// expect: all=holds
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#ifndef DONE
#define DONE relaxed
#endif
#define ORDER_(name) std::memory_order_##name
#define ORDER(name) ORDER_(name)

enum : int { running, waiting, woken };

std::atomic<int> state{running};
std::atomic<bool> done{false};

int look_at_state() {
#ifdef SWAP
  return state.exchange(woken);
#else
  int seen = state.load();
  if (seen == waiting) state.store(woken);
  return seen;
#endif
}

int main() {
  std::thread waiter([] {
    state.store(waiting);
    if (done.load(ORDER(DONE))) return;
    while (state.load() == waiting) {
      syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, waiting, nullptr, nullptr, 0);  // @sleep
    }
  });
  done.store(true, ORDER(DONE));
  if (look_at_state() == waiting) {
    syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
  waiter.join();
}
