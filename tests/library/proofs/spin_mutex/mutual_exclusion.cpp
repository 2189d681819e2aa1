// SPDX-License-Identifier: MIT
//
// What the spin mutex protects belongs to one thread at a time, whether it waits, waits with a
// deadline or tries; each sees what the one before it did, and each gets it in the end. Without
// pauses and yields, which order nothing.
#include <cassert>
#include <thread>

#include "fencepost/spin_mutex.hpp"

namespace {

constexpr fencepost::spin_mutex_tuning busy{.first_pauses = 0, .catch_misuse = false};
fencepost::basic_spin_mutex<fencepost::unobserved, busy> mutex;
int counter = 0;
int tries = 0;

void count() {
  mutex.lock();
  ++counter;
  mutex.unlock();
}

}  // namespace

int main() {
  std::thread waits([] {
    count();
    count();
  });
  std::thread tries_once([] {
    if (mutex.try_lock()) {
      ++counter;
      ++tries;
      mutex.unlock();
    }
  });
  count();
  waits.join();
  tries_once.join();
  assert(counter == 3 + tries);
  return 0;
}
