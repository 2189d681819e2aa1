// SPDX-License-Identifier: MIT
//
// Whoever sleeps gets the mutex once it is free: readers behind a writer, a writer behind readers,
// and a writer behind another one that was woken before it.
//
// case: readers_and_writer -DFIRST=read -DSECOND=read -DTHIRD=write
// case: writers_and_reader -DFIRST=write -DSECOND=read -DTHIRD=write
// case: writers -DFIRST=write -DSECOND=write -DTHIRD=write
#include <cassert>
#include <thread>

#include "sleepy_shared_mutex.hpp"

int main() {
  sleepy_shared_mutex door;
  int counter = 0;
  [[maybe_unused]] const auto write = [&] {
    door.lock();
    ++counter;
    door.unlock();
  };
  [[maybe_unused]] const auto read = [&] {
    door.lock_shared();
    assert(counter >= 0);
    door.unlock_shared();
  };
  std::thread first([&] { FIRST(); });
  std::thread second([&] { SECOND(); });
  THIRD();
  first.join();
  second.join();
  assert(door.try_lock());
  door.unlock();
}
