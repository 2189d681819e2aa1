// SPDX-License-Identifier: MIT
//
// Closed while a push is under way: either the push succeeds and its element is popped, or it says
// closed, gives the element back, and nobody pops it. Once a push has said closed, all do; once a
// pop has, there is nothing more.
//
// case: process -DRING=spsc -DELEMENTS=1 -DCLOSERS=1
// case: interprocess -DRING=interprocess_spsc -DELEMENTS=1 -DCLOSERS=1
// case: consumer_closes -DRING=spsc -DELEMENTS=2 -DCLOSERS=0

#include <cassert>
#include <thread>

#include "small_rings.hpp"

using fencepost::ring_status;

RING<int, ELEMENTS> ring;

int main() {
  int pushed = 0;
  std::thread producer([&pushed] {
    for (int n = 1; n <= ELEMENTS; ++n) {
      const ring_status came = ring.try_push(n);
      assert(came || came == ring_status::closed);
      if (!came) break;
      pushed = n;
    }
  });
#if CLOSERS == 1
  std::thread closer([] { ring.close(); });
#else
  ring.close();
#endif
  int popped = 0;
  ring_status came = ring_status::success;
  int element = 0;
  while ((came = ring.pop(element))) assert(element == ++popped);
  assert(came == ring_status::closed);
  producer.join();
#if CLOSERS == 1
  closer.join();
#endif
  assert(popped == pushed);
  assert(ring.try_pop(element) == ring_status::closed);
  assert(ring.try_push(3) == ring_status::closed);
}
