// SPDX-License-Identifier: MIT
//
// Elements come out of the ring for one producer and one consumer once each and in order, none is
// lost, and no element is touched by both sides at once: elements are plain memory, for which any
// race would be found. Nobody waits; cells are used again.
//
// case: one -DCAPACITY=1 -DTUNING=never_waiting
// case: two -DCAPACITY=2 -DTUNING=never_waiting
// case: blocking -DCAPACITY=1 -DTUNING=sleepy

#include <cassert>
#include <thread>

#include "small_rings.hpp"

fencepost::inline_spsc_ring<int, CAPACITY, TUNING> ring;

int main() {
  int pushed = 0;
  std::thread producer([&pushed] {
    for (int tries = 0; tries != CAPACITY + 1; ++tries) {
      if (ring.try_push(pushed + 1)) ++pushed;
    }
  });
  int popped = 0;
  for (int tries = 0; tries != CAPACITY + 1; ++tries) {
    int element = 0;
    if (ring.try_pop(element)) assert(element == ++popped);
  }
  producer.join();
  int element = 0;
  while (ring.try_pop(element)) assert(element == ++popped);
  assert(popped == pushed && pushed >= CAPACITY);
}
