// SPDX-License-Identifier: MIT
// A lock of two flags in one word: each thread sets its own byte, then looks at both at once. It
// needs nothing but that a thread that has set its byte and then reads the word cannot miss the
// other's: on seq_cst operations no two are inside.
//
// case: with_fences
// expect: sc=holds
// expect: x86=holds
// expect: c++20=holds
// expect: c++14=holds
//
// A store to a byte waits in the store buffer while the word around it is read.
//
// case: without
// flags: -DNO_FENCE
// expect: sc=holds
// expect: x86=violated:assertion at=inside
// expect: c++20=violated:assertion at=inside
// expect: c++14=violated:assertion at=inside
//
// Locked instructions of different sizes need no fence on a processor, and C++20 has every
// seq_cst operation in one order.
//
// case: by_exchange
// flags: -DNO_FENCE -DEXCHANGE
// expect: sc=holds
// expect: x86=holds
// expect: c++20=holds
// expect: c++14=holds
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

alignas(2) static std::uint16_t word;
static std::atomic<int> inside{0};

static void enter(int self) {
  auto* bytes = reinterpret_cast<std::uint8_t*>(&word);
  std::atomic_ref<std::uint8_t> own(bytes[self]);
#ifdef EXCHANGE
  own.exchange(1, std::memory_order_seq_cst);
  const std::uint16_t both = std::atomic_ref(word).load(std::memory_order_seq_cst);
#else
  own.store(1, std::memory_order_release);
#ifndef NO_FENCE
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  const std::uint16_t both = std::atomic_ref(word).load(std::memory_order_acquire);
#endif
  if (both == 0x0101) return;                                  // the other is there too
  assert(inside.exchange(1, std::memory_order_relaxed) == 0);  // @inside
}

int main() {
  std::thread other([] { enter(1); });
  enter(0);
  other.join();
}
