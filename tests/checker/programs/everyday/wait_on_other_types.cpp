// SPDX-License-Identifier: MIT
// atomic::wait on objects that are no futex word: the library waits by proxy.
//
// case: bool
// flags: -DTYPE=bool
// expect: all=holds
//
// case: pointer
// flags: -DTYPE=int*
// expect: all=holds
//
// case: sixty_four_bits
// flags: "-DTYPE=unsigned long"
// expect: all=holds
//
// case: flag
// flags: -DFLAG
// expect: all=holds
//
// case: flag_never_notified
// flags: -DFLAG -DNO_NOTIFY
// expect: all=violated:lost-wakeup
#include <atomic>
#include <cassert>
#include <thread>

#ifdef FLAG
std::atomic_flag ready;
#else
using type = TYPE;
std::atomic<type> ready{type{}};
int one;
#endif
int payload = 0;

int main() {
  std::thread waiter([] {
#ifdef FLAG
    ready.wait(false);
#else
    ready.wait(type{});
#endif
    assert(payload == 1);
  });
  payload = 1;
#ifdef FLAG
  ready.test_and_set();
#else
  ready.store((type)1);
#endif
#ifndef NO_NOTIFY
  ready.notify_all();
#endif
  waiter.join();
}
