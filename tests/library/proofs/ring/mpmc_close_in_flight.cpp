// SPDX-License-Identifier: MIT
//
// A push took its place before the ring was closed, and is finished afterwards: of two consumers
// that wait one gets the element, and the other is told that the ring is closed.

#include <cassert>
#include <thread>

#include "small_rings.hpp"

using fencepost::ring_status;
using namespace fencepost::detail;

mpmc_positions<fencepost::futex::scope::process, sleepy> positions;
inline_cells<taken_in_turns<int>, 1> cells;

// As in ring_operations.
ring_status one_pop() {
  auto& room = positions.poppers();
  return try_until_done(
      room, 0, ring_status::empty, no_deadline{},
      [] {
        const auto place = positions.begin_pop(cells);
        if (place.status) positions.end_pop(cells, place.position);
        return place.status;
      },
      [&room]() noexcept {
        if (room.occupied() && positions.can_pop(cells)) room.call_one();
      });
}

int main() {
  const auto place = positions.begin_push(cells);
  positions.close();
  ring_status theirs = ring_status::empty;
  std::thread consumer([&theirs] { theirs = one_pop(); });
  std::thread producer([place] { positions.end_push(cells, place.position); });
  const ring_status mine = one_pop();
  consumer.join();
  producer.join();
  assert(mine != theirs);
  assert(mine == ring_status::closed || theirs == ring_status::closed);
}
