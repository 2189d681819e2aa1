// SPDX-License-Identifier: MIT
// A lock that spins, and what it protects, are local variables of main. While main spins, the other
// thread writes to main's stack; which of it has been done is not the same from run to run.
//
// case: test_and_set
// expect: all=holds
// case: unoptimised
// flags: -O0
// expect: all=holds
// case: compare_exchange
// flags: -DCOMPARE_EXCHANGE
// expect: all=holds
// case: beside_what_it_protects
// flags: -DCOMPARE_EXCHANGE -O2
// expect: all=holds
#include <atomic>
#include <cassert>
#include <thread>

class spin_lock {
 public:
  void lock() {
#if defined(COMPARE_EXCHANGE)
    bool seen = false;
    while (!locked_.compare_exchange_weak(seen, true, std::memory_order_acquire)) seen = false;
#else
    while (locked_.exchange(true, std::memory_order_acquire)) continue;
#endif
  }
  void unlock() { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_{false};
};

int main() {
  spin_lock door;
  int count = 0;
  const auto pass = [&] {
    door.lock();
    ++count;
    door.unlock();
  };
  std::thread other([&] {
    pass();
    pass();
  });
  pass();
  other.join();
  assert(count == 3);
}
