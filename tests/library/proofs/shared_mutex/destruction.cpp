// SPDX-License-Identifier: MIT
//
// Who has the mutex after everybody else may destroy it, though the unlocks before have not
// returned.
//
// case: after_a_writer -DLOCK=lock -DUNLOCK=unlock
// case: after_a_reader -DLOCK=lock_shared -DUNLOCK=unlock_shared
#include <thread>

#include "sleepy_shared_mutex.hpp"

int main() {
  auto* door = new sleepy_shared_mutex;
  bool left = false;
  door->LOCK();
  std::thread last([&] {
    door->lock();
    left = true;
    door->unlock();
    delete door;
  });
  door->UNLOCK();
  last.join();
  return left ? 0 : 1;
}
