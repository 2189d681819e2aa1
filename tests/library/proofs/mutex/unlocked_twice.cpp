// SPDX-License-Identifier: MIT
//
// unlock_if_locked() hands over what the section wrote. Two threads that call it at once, for one
// lock, leave a free mutex behind, as does one that calls it of a free mutex; and a sleeper gets
// its turn.
//
// case: one_each -DONE_EACH
// case: at_once -DSLEEPERS=0
// case: with_a_sleeper -DSLEEPERS=1
#include <cassert>
#include <thread>

#include "sleepy_mutex.hpp"

int main() {
  sleepy_mutex door;
#ifdef ONE_EACH
  int counter = 0;
  const auto increment = [&] {
    door.lock();
    ++counter;
    door.unlock_if_locked();
  };
  std::thread other([&] {
    increment();
    increment();
  });
  increment();
  other.join();
  assert(counter == 3);
#else
  door.lock();
  std::thread other([&] { door.unlock_if_locked(); });
#if SLEEPERS != 0
  std::thread sleeper([&] { door.lock(); });
#endif
  door.unlock_if_locked();
  other.join();
#if SLEEPERS != 0
  sleeper.join();
#endif
  door.unlock_if_locked();
  assert(!door.is_locked());
#endif
  for (int n = 0; n != 2; ++n) {
    assert(door.try_lock());
    assert(!door.try_lock());
    door.unlock();
  }
}
