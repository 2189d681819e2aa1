// SPDX-License-Identifier: MIT
//
// What the event mutex protects belongs to one thread at a time, of one that waits for the mutex,
// one that tries, and one that has it; each sees what the one before it did.
//
// clang-format off
// case: seq_cst -DPROTOCOL=seq_cst
// case: seq_cst-test_and_set -DPROTOCOL=basic_seq_cst<try_lock::test_and_set>
// case: exchange -DPROTOCOL=exchange
// case: exchange-compare_exchange_seq_cst -DPROTOCOL=basic_exchange<try_lock::compare_exchange_seq_cst>
// case: exchange-test_and_set -DPROTOCOL=basic_exchange<try_lock::test_and_set>
// case: lock_exchange -DPROTOCOL=lock_exchange
// case: asymmetric -DPROTOCOL=asymmetric
// case: asymmetric-compare_exchange_seq_cst -DPROTOCOL=basic_asymmetric<try_lock::compare_exchange_seq_cst>
// case: asymmetric-test_and_set -DPROTOCOL=basic_asymmetric<try_lock::test_and_set>
// case: interprocess_asymmetric -DPROTOCOL=interprocess_asymmetric -DSCOPE=shared
// clang-format on
#include <cassert>
#include <thread>

#include "sleepy_event_mutex.hpp"

namespace {

proof::sleepy_event_mutex mutex;
int counter = 0;
int tries = 0;

}  // namespace

int main() {
  mutex.lock();
  std::thread waits([] {
    mutex.lock();
    ++counter;
    mutex.unlock();
  });
  std::thread tries_once([] {
    if (mutex.try_lock()) {
      ++counter;
      ++tries;
      mutex.unlock();
    }
  });
  ++counter;
  mutex.unlock();
  waits.join();
  tries_once.join();
  assert(counter == 2 + tries);
  return 0;
}
