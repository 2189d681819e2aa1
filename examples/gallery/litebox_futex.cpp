// SPDX-License-Identifier: MIT
// LiteBox's futex manager: a relaxed flag beside a seq_cst state.
// https://github.com/microsoft/litebox/pull/1228
//
// The waker marks the waiter's entry as done, then looks whether the thread waits; the waiter says
// that it waits, then looks whether it is done. The state is seq_cst from end to end, the flag is
// relaxed: one seq_cst location orders nothing by itself. The waker looks by a compare-exchange,
// which, while the waiter still runs, has nothing to change and is but a load; so x86 shows it,
// too.
//
// case: broken
// expect: c++20=violated:lost-wakeup x86=violated:lost-wakeup sc=holds at=sleep says="T1 sleeps"
//
// case: released_and_acquired
// flags: -DSTORE=release -DLOAD=acquire
// expect: c++20=violated:lost-wakeup x86=violated:lost-wakeup sc=holds at=sleep says="T1 sleeps"
//
// case: repaired
// flags: -DREPAIRED
// expect: all=holds
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#ifdef REPAIRED
#define STORE seq_cst
#define LOAD seq_cst
#elif !defined(STORE)
#define STORE relaxed
#define LOAD relaxed
#endif
#define ORDER_(name) std::memory_order_##name
#define ORDER(name) ORDER_(name)

enum : int { running, waiting, woken };

std::atomic<int> state{running};
std::atomic<bool> done{false};

void wake() {
  done.store(true, ORDER(STORE));
  int seen = state.load();
  while (seen == waiting) {
    if (state.compare_exchange_weak(seen, woken)) {
      syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
      return;
    }
  }
}

void wait() {
  state.store(waiting);
  if (done.load(ORDER(LOAD))) return;
  while (state.load() == waiting) {
    syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, waiting, nullptr, nullptr, 0);  // @sleep
  }
}

int main() {
  std::thread waiter(wait);
  wake();
  waiter.join();
}
