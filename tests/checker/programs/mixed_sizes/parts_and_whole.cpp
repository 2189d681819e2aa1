// SPDX-License-Identifier: MIT
// Bytes of a word that are written one by one, and the word as a whole. Writes that share no byte
// have no order; a read is put together from all of them.
//
// case: two_bytes_seen_in_any_way
// expect: c++20=holds executions=4
// expect: x86=holds executions=4
// expect: sc=holds executions=4
// expect: c++14=holds executions=4
//
// case: both_need_not_be_seen
// flags: -DWRONG
// expect: c++20=violated:assertion at=WRONG
// expect: x86=violated:assertion at=WRONG
// expect: sc=violated:assertion at=WRONG
// expect: c++14=violated:assertion at=WRONG
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

alignas(8) static std::uint64_t word;
static std::uint8_t* byte(int i) { return reinterpret_cast<std::uint8_t*>(&word) + i; }

template <typename T>
static T load(T* p) {
  return std::atomic_ref<T>(*p).load(std::memory_order_relaxed);
}
template <typename T>
static void store(T* p, T value) {
  std::atomic_ref<T>(*p).store(value, std::memory_order_relaxed);
}

int main() {
  std::thread first([] { store<std::uint8_t>(byte(0), 1); });
  std::thread fourth([] { store<std::uint8_t>(byte(3), 1); });
  const std::uint64_t seen = load(&word);
#ifdef WRONG
  assert(seen == 0 || seen == 0x1000001);  // @WRONG
#else
  assert((seen & ~std::uint64_t{0x1000001}) == 0);
#endif
  first.join();
  fourth.join();
  assert(load(&word) == 0x1000001);
}
