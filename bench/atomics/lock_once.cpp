// SPDX-License-Identifier: MIT
//
// Takes a free lock and releases it, while an emulator writes down each instruction: see
// turns/lock_instructions.py. A second thread sleeps meanwhile, for without one the C library
// leaves the atomic instructions out.
#include <unistd.h>

#include <thread>

#include "lock_and_unlock.hpp"

int main() {
  std::thread([] {
    for (;;) pause();
  }).detach();
  void* const lock = bench_free_lock();
  // The first time finds what is asked once.
  for (int n = 0; n != 2; ++n) {
    bench_lock(lock);
    bench_unlock(lock);
  }
  // Nothing else of the program is to be told.
  _exit(0);
}
