// SPDX-License-Identifier: MIT
//
// A thread whose time runs out leaves without the mutex and takes nobody's wake-up along: the one
// that waits beside it without a deadline always gets the mutex.
//
// clang-format off
// options: --timeouts
// options: --timeouts --spurious
// variant: seq_cst -DPROTOCOL=seq_cst
// variant: exchange -DPROTOCOL=exchange
// variant: lock_exchange -DPROTOCOL=lock_exchange
// variant: asymmetric -DPROTOCOL=asymmetric
// variant: interprocess_seq_cst -DPROTOCOL=seq_cst -DSCOPE=shared
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
  mutex.lock();
  std::thread timed([] {
    if (mutex.try_lock_for(std::chrono::seconds(1))) {
      ++counter;
      ++in_time;
      mutex.unlock();
    }
  });
  std::thread patient([] {
    mutex.lock();
    ++counter;
    mutex.unlock();
  });
  ++counter;
  mutex.unlock();
  timed.join();
  patient.join();
  assert(counter == 2 + in_time);
  return 0;
}
