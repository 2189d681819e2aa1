// SPDX-License-Identifier: MIT
//
// Producers that find the ring full and consumers that find it empty are woken when they can go on,
// as many of them as can, whatever they were doing when that came about; and every element is
// popped once.
//
// options:
// options: --spurious
// variant: pair -DRING=mpmc -DCAPACITY=1 -DPRODUCERS=1 -DCONSUMERS=1 -DEACH=2
// variant: interprocess -DRING=interprocess_mpmc -DCAPACITY=1 -DPRODUCERS=1 -DCONSUMERS=1 -DEACH=2
// variant: consumers -DRING=mpmc -DCAPACITY=2 -DPRODUCERS=1 -DCONSUMERS=2 -DEACH=2
// variant: producers -DRING=mpmc -DCAPACITY=1 -DPRODUCERS=2 -DCONSUMERS=1 -DEACH=1

#include <cassert>
#include <thread>

#include "small_rings.hpp"

RING<int, CAPACITY> ring;

int sums[CONSUMERS] = {};

void consume(int consumer) {
  for (int n = 0; n != PRODUCERS * EACH / CONSUMERS; ++n) {
    int element = 0;
    assert(ring.pop(element));
    sums[consumer] += 1 << element;
  }
}

int main() {
  std::thread threads[PRODUCERS + CONSUMERS - 1];
  int next = 0;
  for (int p = 0; p != PRODUCERS; ++p) {
    threads[next++] = std::thread([p] {
      for (int n = 0; n != EACH; ++n) assert(ring.push(p * EACH + n));
    });
  }
  for (int c = 1; c != CONSUMERS; ++c) {
    threads[next++] = std::thread([c] { consume(c); });
  }
  consume(0);
  for (std::thread& thread : threads) thread.join();
  int sum = 0;
  for (int c = 0; c != CONSUMERS; ++c) sum += sums[c];
  assert(sum == (1 << (PRODUCERS * EACH)) - 1);
}
