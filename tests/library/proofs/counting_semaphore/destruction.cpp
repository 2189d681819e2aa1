// SPDX-License-Identifier: MIT
//
// Who has acquired the permit may destroy the semaphore, though the release has not returned.
//
// case: release -DGIVE=release()
// case: try_release -DGIVE=try_release()
#include <thread>

#include "sleepy_semaphore.hpp"

int main() {
  auto* done = new sleepy_semaphore(0);
  int result = 1;
  std::thread waits([&] {
    done->acquire();
    result = 0;
    delete done;
  });
  static_cast<void>(done->GIVE);
  waits.join();
  return result;
}
