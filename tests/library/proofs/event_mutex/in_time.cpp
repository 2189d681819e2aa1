// SPDX-License-Identifier: MIT
//
// Without timeouts a thread that waits with a deadline is woken as one that waits without.
//
// clang-format off
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

}  // namespace

int main() {
  mutex.lock();
  std::thread timed([] {
    const bool locked = mutex.try_lock_for(std::chrono::hours(1));
    assert(locked);
    ++counter;
    mutex.unlock();
  });
  ++counter;
  mutex.unlock();
  timed.join();
  assert(counter == 2);
  return 0;
}
