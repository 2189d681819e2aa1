// SPDX-License-Identifier: MIT
//
// Of two threads that sleep for the event mutex, with a deadline and without, the one without is
// woken whether the other's time runs out or not.
//
// options: --timeouts
// slow
// case: seq_cst -DPROTOCOL=seq_cst
// case: exchange -DPROTOCOL=exchange
// case: lock_exchange -DPROTOCOL=lock_exchange
// case: asymmetric -DPROTOCOL=asymmetric
// clang-format off
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
