// SPDX-License-Identifier: MIT
//
// A producer that finds the ring for many full and a consumer that finds it empty are woken when
// they can go on, whatever they were doing when that came about; and elements come in order. What
// holds among several sleepers on one side: waiting_room_calls and mpmc_hole.
//
// options:
// options: --spurious
// case: process -DRING=mpmc
// case: interprocess -DRING=interprocess_mpmc

#include <cassert>
#include <thread>

#include "small_rings.hpp"

RING<int, 1> ring;

int main() {
  std::thread producer([] {
    assert(ring.push(1));
    assert(ring.push(2));
  });
  for (int n = 1; n <= 2; ++n) {
    int element = 0;
    assert(ring.pop(element) && element == n);
  }
  producer.join();
}
