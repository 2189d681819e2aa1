// SPDX-License-Identifier: MIT
//
// A thread whose time runs out leaves without the mutex and takes nobody's wake-up along: the other
// one, which waits without a deadline and comes back, always gets the mutex.
//
// clang-format off
// options: --timeouts
// options: --timeouts --spurious
// case: seq_cst -DPROTOCOL=seq_cst
// case: exchange -DPROTOCOL=exchange
// case: lock_exchange -DPROTOCOL=lock_exchange
// case: asymmetric -DPROTOCOL=asymmetric
// case: interprocess_seq_cst -DPROTOCOL=seq_cst -DSCOPE=shared
// clang-format on
#include <cassert>
#include <chrono>
#include <thread>

#include "sleepy_event_mutex.hpp"

namespace {

proof::sleepy_event_mutex mutex;
int counter = 0;
int in_time = 0;

}  // namespace

int main() {
  std::thread timed([] {
    if (mutex.try_lock_for(std::chrono::seconds(1))) {
      ++counter;
      ++in_time;
      mutex.unlock();
    }
  });
  for (int n = 0; n != 2; ++n) {
    mutex.lock();
    ++counter;
    mutex.unlock();
  }
  timed.join();
  assert(counter == 2 + in_time);
  return 0;
}
