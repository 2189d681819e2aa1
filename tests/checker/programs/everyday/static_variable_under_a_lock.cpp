// SPDX-License-Identifier: MIT
// Nobody but the critical sections touches a variable with internal linkage. The compiler must
// still not keep it in a register from one critical section to the next: gcc 12 would, since it
// takes the instrumented atomic operations for functions that never come back into the file.
//
// case: spin_lock
// expect: all=holds
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<bool> locked;
int counter;

[[gnu::noinline]] void lock() {
  while (locked.exchange(true, std::memory_order_acquire)) continue;
}

[[gnu::noinline]] void unlock() { locked.store(false, std::memory_order_release); }

void count() {
  lock();
  ++counter;
  unlock();
}

}  // namespace

int main() {
  std::thread other([] {
    count();
    count();
  });
  count();
  other.join();
  assert(counter == 3);
}
