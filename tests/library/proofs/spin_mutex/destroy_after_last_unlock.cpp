// SPDX-License-Identifier: MIT
//
// The thread that is the last to lock the spin mutex may free it after its own unlock(): nobody
// touches it any more.
//
// options: --leaks
#include <thread>

#include "fencepost/spin_mutex.hpp"

namespace {

constexpr fencepost::spin_mutex_tuning busy{.first_pauses = 0, .catch_misuse = false};

struct record {
  fencepost::basic_spin_mutex<fencepost::unobserved, busy> mutex;
  int users = 2;
};

void leave(record* one) {
  one->mutex.lock();
  const bool last = --one->users == 0;
  one->mutex.unlock();
  if (last) delete one;
}

}  // namespace

int main() {
  auto* const one = new record;
  std::thread other(leave, one);
  leave(one);
  other.join();
  return 0;
}
