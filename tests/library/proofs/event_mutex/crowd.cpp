// SPDX-License-Identifier: MIT
//
// Two threads that sleep for the event mutex are both woken by one unlock(), or the second by the
// first.
//
// clang-format off
// case: seq_cst -DPROTOCOL=seq_cst
// case: exchange -DPROTOCOL=exchange
// case: lock_exchange -DPROTOCOL=lock_exchange
// case: asymmetric -DPROTOCOL=asymmetric
// clang-format on
#include <cassert>
#include <thread>

#include "sleepy_event_mutex.hpp"

namespace {

proof::sleepy_event_mutex mutex;
int counter = 0;

void count() {
  mutex.lock();
  ++counter;
  mutex.unlock();
}

}  // namespace

int main() {
  mutex.lock();
  std::thread one(count);
  std::thread two(count);
  ++counter;
  mutex.unlock();
  one.join();
  two.join();
  assert(counter == 3);
  return 0;
}
