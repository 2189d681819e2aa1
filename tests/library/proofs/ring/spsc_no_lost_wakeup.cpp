// SPDX-License-Identifier: MIT
//
// The producer that finds the ring full and the consumer that finds it empty are woken when they
// can go on, whatever they were doing when that came about; and elements come in order.
//
// options:
// options: --spurious
// case: process -DRING=spsc -DELEMENTS=2
// case: interprocess -DRING=interprocess_spsc -DELEMENTS=2

#include <cassert>
#include <thread>

#include "small_rings.hpp"

RING<int, 1> ring;

int main() {
  std::thread producer([] {
    for (int n = 1; n <= ELEMENTS; ++n) assert(ring.push(n));
  });
  for (int n = 1; n <= ELEMENTS; ++n) {
    int element = 0;
    assert(ring.pop(element) && element == n);
  }
  producer.join();
}
