// SPDX-License-Identifier: MIT
// A ring between one producer and one consumer, smaller than what goes through it.
//
// case: release_acquire
// expect: all=holds
//
// case: tail_published_relaxed
// flags: -DTAIL=relaxed
// expect: all=violated:data-race at=race
//
// case: head_published_relaxed
// flags: -DHEAD=relaxed
// expect: all=violated:data-race at=race
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

#ifndef TAIL
#define TAIL release
#endif
#ifndef HEAD
#define HEAD release
#endif
#define ORDER_(name) std::memory_order_##name
#define ORDER(name) ORDER_(name)

template <typename T, unsigned Capacity>
class ring {
 public:
  bool try_push(T value) {
    const unsigned tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == Capacity) return false;
    cells_[tail % Capacity] = value;  // @race
    tail_.store(tail + 1, ORDER(TAIL));
    return true;
  }

  bool try_pop(T& value) {
    const unsigned head = head_.load(std::memory_order_relaxed);
    if (tail_.load(std::memory_order_acquire) == head) return false;
    value = cells_[head % Capacity];  // @race
    head_.store(head + 1, ORDER(HEAD));
    return true;
  }

 private:
  std::array<T, Capacity> cells_{};
  std::atomic<unsigned> head_{0};
  std::atomic<unsigned> tail_{0};
};

ring<int, 1> between;

int main() {
  std::thread producer([] {
    for (int i = 1; i <= 3; i++) {
      while (!between.try_push(i)) {
      }
    }
  });
  std::thread consumer([] {
    for (int i = 1; i <= 3; i++) {
      int got = 0;
      while (!between.try_pop(got)) {
      }
      assert(got == i);
    }
  });
  producer.join();
  consumer.join();
}
