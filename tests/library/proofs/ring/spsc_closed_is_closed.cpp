// SPDX-License-Identifier: MIT
//
// Who pushes after close() is told so, also if a push that found the ring full was under way when
// it was closed; and the consumer, once told, is never given more.

#include <atomic>
#include <cassert>
#include <thread>

#include "small_rings.hpp"

using fencepost::ring_status;

spsc<int, 1> ring;
std::atomic<bool> is_closed{false};

int main() {
  std::thread closer([] {
    ring.close();
    is_closed.store(true, std::memory_order_release);
  });
  const ring_status first = ring.try_push(1);
  assert(first || first == ring_status::closed);
  int element = 0;
  if (first) assert(ring.try_pop(element));
  // There is room now.
  const bool told = is_closed.load(std::memory_order_acquire);
  const ring_status second = ring.try_push(2);
  assert(second == ring_status::closed || (second && !told && first));
  closer.join();
  assert(ring.try_push(3) == ring_status::closed);
}
