// SPDX-License-Identifier: MIT
// Somebody's queue with two ways to push, as the pages of `asm` and `weaken` speak of one.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> slot{0};
static int content = 0;

void push(int value) {
  content = value;
  slot.store(1, std::memory_order_seq_cst);
}

void push_relaxed() { slot.store(0, std::memory_order_relaxed); }

bool pop(int& value) {
  if (slot.load(std::memory_order_seq_cst) == 0) return false;
  value = content;
  push_relaxed();
  return true;
}

int main() {
  std::thread producer(push, 42);
  std::thread consumer([] {
    int value = 0;
    assert(!pop(value) || value == 42);
  });
  producer.join();
  consumer.join();
}
