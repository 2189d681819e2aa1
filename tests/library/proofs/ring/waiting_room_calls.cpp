// SPDX-License-Identifier: MIT
//
// The waiting room alone, with plain variables for a ring: two threads wait, each for an element,
// and are called for each element once. Neither is left asleep.
//
// slow
// case: process -DSCOPE=process
// case: interprocess -DSCOPE=shared

#include <atomic>
#include <thread>

#include "fencepost/ring/waiting_room.hpp"
#include "small_rings.hpp"

fencepost::detail::waiting_room<fencepost::futex::scope::SCOPE, sleepy> room;
std::atomic<int> elements{0};

bool take() {
  int there = elements.load(std::memory_order_acquire);
  while (there != 0) {
    if (elements.compare_exchange_strong(there, there - 1)) return true;
  }
  return false;
}

void wait_for_one() {
  for (;;) {
    const auto ticket = room.announce();
    if (take()) return room.cancel(ticket);
    room.sleep(ticket, fencepost::detail::no_deadline{});
    if (take()) return;
  }
}

void put() {
  elements.fetch_add(1, std::memory_order_release);
  if (room.calls_are_due()) room.call_one();
}

int main() {
  std::thread first(wait_for_one);
  std::thread second(wait_for_one);
  put();
  put();
  first.join();
  second.join();
}
