// SPDX-License-Identifier: MIT
//
// Nobody touches an event mutex that was destroyed by its rule: the last thread whose unlock() has
// returned frees it. (That the rule is needed shows where the count is lowered before unlock().)
//
// options: --leaks
// case: seq_cst -DPROTOCOL=seq_cst
// case: exchange -DPROTOCOL=exchange
// case: lock_exchange -DPROTOCOL=lock_exchange
// case: asymmetric -DPROTOCOL=asymmetric
// case: interprocess_seq_cst -DPROTOCOL=seq_cst -DSCOPE=shared
// clang-format off
// clang-format on
#include <atomic>
#include <cassert>
#include <thread>

#include "sleepy_event_mutex.hpp"

namespace {

struct record {
  proof::sleepy_event_mutex mutex;
  std::atomic<int> users{2};
  int uses = 0;
};

void use(record* one) {
  one->mutex.lock();
  ++one->uses;
  one->mutex.unlock();
  if (one->users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    assert(one->uses == 2);
    delete one;
  }
}

}  // namespace

int main() {
  auto* const one = new record;
  std::thread other(use, one);
  use(one);
  other.join();
  return 0;
}
