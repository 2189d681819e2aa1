// SPDX-License-Identifier: MIT
//
// Time that runs out while the other side is about to call loses neither an element nor the call
// for the wait that follows.
//
// options: --timeouts
// case: pop -DPOP
// case: push -DPUSH

#include <cassert>
#include <chrono>
#include <thread>

#include "small_rings.hpp"

using namespace std::chrono_literals;
using fencepost::ring_status;

spsc<int, 1> ring;

int main() {
#ifdef POP
  std::thread producer([] {
    assert(ring.push(1));
    assert(ring.push(2));
  });
  int element = 0;
  const ring_status came = ring.pop_for(element, 1s);
  assert(came ? element == 1 : came == ring_status::timed_out && element == 0);
  while (element != 2) {
    const int before = element;
    assert(ring.pop(element) && element == before + 1);
  }
  producer.join();
#else
  assert(ring.push(1));
  std::thread consumer([] {
    int element = 0;
    assert(ring.pop(element) && element == 1);
    assert(ring.pop(element) && element == 2);
  });
  const ring_status came = ring.push_for(2, 1s);
  assert(came || came == ring_status::timed_out);
  if (!came) assert(ring.push(2));
  consumer.join();
#endif
  assert(ring.empty());
}
