// SPDX-License-Identifier: MIT
// Memory that is written plainly, then accessed atomically in another size, then plainly again.
//
// case: ordered_by_threads
// expect: c++20=holds
// expect: c++14=holds
// expect: x86=holds
//
// case: written_too_early
// flags: -DRACES
// expect: c++20=violated:data-race says="plain write"
// expect: c++14=violated:data-race says="plain write"
//
// case: used_again_in_another_size
// flags: -DAGAIN
// expect: c++20=holds
// expect: c++14=holds
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <thread>

union slot {
  std::uint64_t whole;
  std::uint16_t half[4];
  std::uint8_t byte[8];
};
alignas(8) static slot s;

int main() {
  s.whole = 0x0102030405060708;
  std::thread writer(
      [] { std::atomic_ref<std::uint16_t>(s.half[1]).store(0xffff, std::memory_order_release); });
  const std::uint64_t seen =
      std::atomic_ref<std::uint64_t>(s.whole).load(std::memory_order_acquire);
  assert(seen == 0x0102030405060708 || seen == 0x01020304ffff0708);
#ifdef RACES
  s.byte[2] = 0;
#endif
  writer.join();
  s.byte[3] = 0x55;  // a part of what was written as a half
  assert(std::atomic_ref<std::uint64_t>(s.whole).load(std::memory_order_relaxed) ==
         0x0102030455ff0708);
  s.half[3] = 0;
  assert(s.whole == 0x0000030455ff0708 && s.byte[3] == 0x55);
#ifdef AGAIN
  std::memset(&s, 0, sizeof s);
  std::thread other(
      [] { std::atomic_ref<std::uint8_t>(s.byte[0]).fetch_add(1, std::memory_order_relaxed); });
  std::atomic_ref<std::uint64_t>(s.whole).fetch_add(0x100, std::memory_order_relaxed);
  other.join();
  assert(s.whole == 0x101);
#endif
}
