// SPDX-License-Identifier: MIT
//
// close() wakes the consumer that waits for an element and the producer that waits for room, and
// who is told sees what was done before it.
//
// options:
// options: --spurious
// case: consumer -DWAIT=consumer_waits
// case: consumer_tries -DWAIT=consumer_tries
// case: producer -DWAIT=producer_waits
// case: looks -DWAIT=looks

#include <cassert>
#include <thread>

#include "small_rings.hpp"

using fencepost::ring_status;

spsc<int, 1> ring;
int reason = 0;

void consumer_waits() {
  assert(!ring.pop());
  assert(reason == 1);
}

void consumer_tries() {
  int element = 0;
  if (ring.try_pop(element) == ring_status::closed) assert(reason == 1);
}

void producer_waits() {
  if (ring.push(1)) assert(ring.push(2) == ring_status::closed);
  assert(reason == 1);
}

void looks() {
  if (ring.closed()) assert(reason == 1);
}

int main() {
  std::thread closer([] {
    reason = 1;
    ring.close();
  });
  WAIT();
  closer.join();
}
