// SPDX-License-Identifier: MIT
//
// A writer and who shares the mutex never meet, and each sees what those before it did: the plain
// counter is written by one and read by the other without a race, whichever comes first. Two
// readers may be inside at once.
//
// options:
// options: --spurious
// case: writers -DOTHER_WRITES=1
// case: reader -DOTHER_WRITES=0
#include <cassert>
#include <thread>

#include "sleepy_shared_mutex.hpp"

int main() {
  sleepy_shared_mutex door;
  int counter = 0;
  const auto write = [&] {
    door.lock();
    ++counter;
    door.unlock();
  };
  std::thread other([&] {
#if OTHER_WRITES
    write();
    write();
#else
    for (int n = 0; n != 2; ++n) {
      door.lock_shared();
      assert(counter == 0 || counter == 1);
      door.unlock_shared();
    }
#endif
  });
  write();
  door.lock_shared();
  const int seen = counter;
  door.unlock_shared();
  other.join();
#if OTHER_WRITES
  assert(seen >= 1 && counter == 3);
#else
  assert(seen == 1 && counter == 1);
#endif
}
