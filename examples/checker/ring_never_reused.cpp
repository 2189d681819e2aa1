// SPDX-License-Identifier: MIT
//
// A ring of four slots through which two numbers go: no slot is used a second time, so that the
// orders by which the consumer gives a slot back are not needed here. `fencepost weaken` lowers
// them, and says above that what the consumer reads is never overwritten:
//
//   $ ./fencepost weaken examples/checker/ring_never_reused.cpp
//   ring_never_reused.cpp:34:31: read: no execution overwrites what it reads
//   $ ./fencepost weaken examples/checker/ring_never_reused.cpp -- -DSLOTS=1
//   no order can be weaker
#include <atomic>
#include <cassert>
#include <thread>

#ifndef SLOTS
#define SLOTS 4
#endif

int slots[SLOTS];
std::atomic<unsigned> head{0};
std::atomic<unsigned> tail{0};

bool push(int number) {
  const unsigned to = tail.load(std::memory_order_relaxed);
  if (to - head.load(std::memory_order_acquire) == SLOTS) return false;
  slots[to % SLOTS] = number;
  tail.store(to + 1, std::memory_order_release);
  return true;
}

bool pop(int* number) {
  const unsigned from = head.load(std::memory_order_relaxed);
  if (from == tail.load(std::memory_order_acquire)) return false;
  *number = slots[from % SLOTS];
  head.store(from + 1, std::memory_order_release);
  return true;
}

int main() {
  std::thread consumer([] {
    int number = 0;
    int last = 0;
    for (int tries = 0; tries < 2; ++tries) {
      if (pop(&number)) assert(number == ++last);
    }
  });
  const bool first = push(1);
  push(first ? 2 : 1);
  consumer.join();
}
