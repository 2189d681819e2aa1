// SPDX-License-Identifier: MIT
//
// unlock_if_shared() gives a share back as unlock_shared() does: the writer that comes next changes
// nothing that is still read. Two threads that call it at once, for one share, leave a free mutex
// behind, as does one that calls it of a mutex that nobody shares; and a writer that sleeps gets
// its turn.
//
// case: once -DONCE=1
// case: at_once -DONCE=0
#include <cassert>
#include <thread>

#include "sleepy_shared_mutex.hpp"

int main() {
  sleepy_shared_mutex door;
  int counter = 0;
  door.lock_shared();
  std::thread writer([&] {
    door.lock();
    ++counter;
    door.unlock();
  });
#if ONCE
  assert(counter == 0);
#else
  std::thread other([&] { door.unlock_if_shared(); });
#endif
  door.unlock_if_shared();
#if !ONCE
  other.join();
#endif
  writer.join();
  assert(counter == 1);
  door.unlock_if_shared();
  assert(door.try_lock());
  door.unlock_if_shared();
  assert(door.is_locked());
  door.unlock();
}
