// SPDX-License-Identifier: MIT
//
// Who pushes after close() is told so, also if a push was under way when the ring was closed that
// then came to nothing, for the element's constructor threw.

#include <atomic>
#include <cassert>
#include <thread>

#include "small_rings.hpp"

using fencepost::ring_status;

fencepost::detail::spsc_positions<fencepost::futex::scope::process, sleepy> positions;
std::atomic<bool> is_closed{false};

int main() {
  std::thread closer([] {
    positions.close();
    is_closed.store(true, std::memory_order_release);
  });
  const std::size_t capacity = 1;
  // A place, and then an exception.
  const ring_status first = positions.begin_push(capacity).status;
  assert(first || first == ring_status::closed);
  const bool told = is_closed.load(std::memory_order_acquire);
  const ring_status second = positions.begin_push(capacity).status;
  assert(second == ring_status::closed || (second && !told && first));
  closer.join();
  assert(positions.begin_push(capacity).status == ring_status::closed);
}
