// SPDX-License-Identifier: MIT
//
// Two threads sleep, and one unlock() is enough to get both of them going: who is woken wakes the
// next. Whoever comes last keeps the mutex, for nobody is left to miss it. Three threads on one
// word: two and a half million executions a model, one or two minutes.
//
// slow
#include <thread>

#include "sleepy_mutex.hpp"

int main() {
  auto& door = *new sleepy_mutex;
  int passed = 0;
  const auto pass = [&] {
    door.lock();
    if (++passed != 2) door.unlock();
  };
  door.lock();
  std::thread one(pass);
  std::thread two(pass);
  door.unlock();
  one.join();
  two.join();
}
