// SPDX-License-Identifier: MIT
//
// A thread that sleeps for the event mutex is woken when it is unlocked: of two threads that lock
// it, one of them twice, none sleeps for ever, and what the mutex protects is theirs alone. The
// checker finds the sleeper and the race; the sum is for what neither tells.
//
// clang-format off
// options:
// options: --spurious
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

void count() {
  mutex.lock();
  ++counter;
  mutex.unlock();
}

}  // namespace

int main() {
  std::thread twice([] {
    count();
    count();
  });
  count();
  twice.join();
  assert(counter == 3);
  return 0;
}
