// SPDX-License-Identifier: MIT
//
// Two pushes, of which the one that took its place later was finished first, when nobody could make
// use of it yet. The other one, finished, calls one of two consumers that wait, and still both get
// an element. The same for room, which two pops gave back the wrong way round.
//
// options:
// case: elements -DELEMENTS
// case: room -DROOM

#include <cassert>
#include <thread>

#include "small_rings.hpp"

using fencepost::ring_status;
using namespace fencepost::detail;

mpmc_positions<fencepost::futex::scope::process, sleepy> positions;
inline_cells<taken_in_turns<int>, 2> cells;

// As in ring_operations.
ring_status one_push() {
  auto& room = positions.pushers();
  return try_until_done(
      room, 0, ring_status::full, no_deadline{},
      [] {
        const auto place = positions.begin_push(cells);
        if (place.status) positions.end_push(cells, place.position);
        return place.status;
      },
      [&room]() noexcept {
        if (room.occupied() && positions.can_push(cells)) room.call_one();
      });
}

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
  const auto first = positions.begin_push(cells);
  const auto second = positions.begin_push(cells);
#ifdef ELEMENTS
  positions.end_push(cells, second.position);
  std::thread one([] { assert(one_pop()); });
  std::thread other([] { assert(one_pop()); });
  positions.end_push(cells, first.position);
#else
  positions.end_push(cells, first.position);
  positions.end_push(cells, second.position);
  const auto first_out = positions.begin_pop(cells);
  const auto second_out = positions.begin_pop(cells);
  positions.end_pop(cells, second_out.position);
  std::thread one([] { assert(one_push()); });
  std::thread other([] { assert(one_push()); });
  positions.end_pop(cells, first_out.position);
#endif
  one.join();
  other.join();
}
