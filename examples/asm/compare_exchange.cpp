// SPDX-License-Identifier: MIT
//
// Compare-exchanges that gcc 12 does not give the order that is written: on riscv64 all of these,
// on ppc64le `either`. `fencepost asm` finds that in the instructions.
#include <atomic>
std::atomic<int> word;
bool publish(int seen) {
  return word.compare_exchange_strong(seen, 1, std::memory_order_release,
                                      std::memory_order_relaxed);
}
bool take(int seen) {
  return word.compare_exchange_strong(seen, 1, std::memory_order_acquire,
                                      std::memory_order_relaxed);
}
bool either(int seen) {
  return word.compare_exchange_strong(seen, 1, std::memory_order_release,
                                      std::memory_order_acquire);
}
bool sequential(int seen) { return word.compare_exchange_strong(seen, 1); }
