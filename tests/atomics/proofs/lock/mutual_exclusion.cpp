// SPDX-License-Identifier: MIT
//
// Whatever one thread writes under the lock the next one sees, and both get it each time that they
// ask: nobody sleeps for ever. (The other two kinds are the library's own, whose proofs are in
// tests/library/proofs.)
//
// expect: c++20,c++14,x86,sc=holds
// case: compare_exchange_spin -DCOMPARE_EXCHANGE_SPIN
// case: flag_spin -DFLAG_SPIN
// case: published_futex -DPUBLISHED_FUTEX
// case: musl_lock -DMUSL_LOCK
// case: musl_wakes_nobody -DMUSL_LOCK -DWAKES_NOBODY
// expect: c++20,c++14,x86,sc=violated
// case: wakes_nobody -DPUBLISHED_FUTEX -DWAKES_NOBODY
// expect: c++20,c++14,x86,sc=violated
// case: none -DFLAG_SPIN -DUNLOCKED
// expect: c++20,c++14,x86,sc=violated
#include <cassert>
#include <thread>

#if defined(WAKES_NOBODY)
#include "fencepost/futex.hpp"
namespace fencepost::futex {
inline void wake_nobody(const word&) {}
}  // namespace fencepost::futex
#define wake_one wake_nobody
#endif

#if defined(COMPARE_EXCHANGE_SPIN)
#include "atomics/lock/compare_exchange_spin.hpp"
#elif defined(FLAG_SPIN)
#include "atomics/lock/flag_spin.hpp"
#elif defined(PUBLISHED_FUTEX)
#include "atomics/lock/published_futex.hpp"
#elif defined(MUSL_LOCK)
#include "atomics/lock/musl_lock.hpp"
#endif

int main() {
  static fencepost::atomics::lock door;
  static int count;
  const auto pass = [&] {
#if !defined(UNLOCKED)
    door.acquire();
#endif
    ++count;
#if !defined(UNLOCKED)
    door.release();
#endif
  };
  std::thread other([&] {
    pass();
    pass();
  });
  pass();
  other.join();
  assert(count == 3);
}
