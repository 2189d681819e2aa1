// SPDX-License-Identifier: MIT
//
// Closed while pushes are under way: those that succeed are popped, and then every consumer that
// waits is told; those that fail leave their element alone. Who is told sees what was done before.
//
// options:
// case: two_threads -DCONSUMERS=1
// case: two_consumers -DCONSUMERS=2

#include <cassert>
#include <thread>

#include "small_rings.hpp"

using fencepost::ring_status;

mpmc<int, 1> ring;
int reason = 0;
int popped[2] = {};

void pop_all(int consumer) {
  ring_status came = ring_status::success;
  int element = 0;
  while ((came = ring.pop(element))) ++popped[consumer];
  assert(came == ring_status::closed && reason == 1);
}

int main() {
#if CONSUMERS == 1
  std::thread closer([] {
    reason = 1;
    ring.close();
  });
  int pushed = 0;
  const ring_status came = ring.try_push(1);
  if (came == ring_status::closed) assert(reason == 1);
  if (came) ++pushed;
  pop_all(0);
  closer.join();
  assert(ring.try_push(1) == ring_status::closed);
#else
  std::thread consumer([] { pop_all(1); });
  int pushed = 1;
  assert(ring.push(1));
  reason = 1;
  ring.close();
  pop_all(0);
  consumer.join();
#endif
  assert(popped[0] + popped[1] == pushed);
}
