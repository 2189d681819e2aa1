// SPDX-License-Identifier: MIT
// Park and unpark with a token in one word, as runtimes do it: all hands use read-modify-writes
// on that word, so nothing is lost; a token that is stored instead can be overwritten.
//
// case: exchanged
// expect: all=holds
//
// case: looked_up_then_stored
// flags: -DLOAD_STORE
// expect: all=violated:lost-wakeup at=sleep
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <thread>

enum : int { parked = -1, empty = 0, notified = 1 };

std::atomic<int> token{empty};
std::atomic<bool> ready{false};

void park() {
  // empty becomes parked, notified becomes empty.
  if (token.fetch_sub(1, std::memory_order_acquire) == notified) return;
  for (;;) {
    syscall(SYS_futex, &token, FUTEX_WAIT_PRIVATE, parked, nullptr, nullptr, 0);  // @sleep
    int expected = notified;
    if (token.compare_exchange_strong(expected, empty, std::memory_order_acquire,
                                      std::memory_order_acquire)) {
      return;
    }
  }
}

void unpark() {
#ifdef LOAD_STORE
  const int before = token.load(std::memory_order_acquire);
  token.store(notified, std::memory_order_release);
#else
  const int before = token.exchange(notified, std::memory_order_release);
#endif
  if (before == parked) {
    syscall(SYS_futex, &token, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
}

int main() {
  std::thread sleeper([] {
    park();
    assert(ready.load(std::memory_order_relaxed));
  });
  ready.store(true, std::memory_order_relaxed);
  unpark();
  sleeper.join();
}
