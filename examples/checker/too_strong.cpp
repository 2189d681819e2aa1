// SPDX-License-Identifier: MIT
//
// A lock and a message with the default order everywhere: correct, and slower than need be.
// `fencepost weaken` finds what can be weaker, proves it, and says what each change is worth:
//
//   $ ./fencepost weaken examples/checker/too_strong.cpp
//   exchange: seq_cst → acquire
//   store: seq_cst → release
//   fence: seq_cst → none
//   proven: examples/checker/too_strong.cpp (c++20) holds
//   $ ./fencepost weaken --diff examples/checker/too_strong.cpp
//   -  void unlock() { locked_.store(false); }
//   +  void unlock() { locked_.store(false, std::memory_order_release); }
#include <atomic>
#include <cassert>
#include <thread>

class spin_lock {
 public:
  void lock() {
    while (locked_.exchange(true)) {
    }
  }
  void unlock() { locked_.store(false); }

 private:
  std::atomic<bool> locked_{false};
};

spin_lock lock;
int count;

int message;
std::atomic<bool> sent{false};

void add() {
  lock.lock();
  ++count;
  lock.unlock();
}

int main() {
  std::thread other([] {
    add();
    message = 42;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    sent.store(true);
  });
  add();
  if (sent.load()) assert(message == 42);
  other.join();
  assert(count == 2);
}
