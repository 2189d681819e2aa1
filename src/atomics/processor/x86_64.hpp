// SPDX-License-Identifier: MIT
//
// What this x86-64 processor can do with 16 bytes, asked once.
//
// cmpxchg16b is in all but the first of them. Aligned 16-byte loads and stores are atomic where the
// vendor says that AVX implies it: Intel (Software Developer's Manual, volume 3A, 9.1.1), AMD
// (Architecture Programmer's Manual, volume 2, 7.3.2) and Zhaoxin.
#pragma once

#include <cpuid.h>

#include <cstdint>

namespace fencepost::atomics::x86_64 {

inline constexpr std::uint32_t asked = 1;
inline constexpr std::uint32_t exchanges_16 = 2;
inline constexpr std::uint32_t loads_16 = 4;

inline std::uint32_t features_once_asked = 0;

[[gnu::noinline]] inline std::uint32_t ask() noexcept {
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  std::uint32_t found = asked;
  __cpuid(0, a, b, c, d);
  const std::uint32_t vendor = b;
  __cpuid(1, a, b, c, d);
  if ((c & bit_CMPXCHG16B) != 0) {
    found |= exchanges_16;
    const bool vows = vendor == signature_INTEL_ebx || vendor == signature_AMD_ebx ||
                      vendor == signature_CENTAUR_ebx || vendor == 0x68532020;  // "  Shanghai  "
    if (vows && (c & bit_AVX) != 0 && (c & bit_OSXSAVE) != 0) {
      // Does the system keep the registers that AVX uses?
      std::uint32_t low = 0, high = 0;
      asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
      if ((low & 6) == 6) found |= loads_16;
    }
  }
  // relaxed: whoever asks gets the same answer
  __atomic_store_n(&features_once_asked, found, __ATOMIC_RELAXED);
  return found;
}

/// Whether the processor is known to have the feature. Not so far may mean that nobody has asked.
[[gnu::always_inline]] inline bool is_known_to_have(std::uint32_t feature) noexcept {
  return (__atomic_load_n(&features_once_asked, __ATOMIC_RELAXED) & feature) != 0;
}

/// Whether it has the feature: one test where it has.
[[gnu::always_inline]] inline bool has(std::uint32_t feature) noexcept {
  const std::uint32_t known = __atomic_load_n(&features_once_asked, __ATOMIC_RELAXED);
  if (__builtin_expect((known & feature) != 0, 1)) return true;
  return known == 0 && (ask() & feature) != 0;
}

}  // namespace fencepost::atomics::x86_64
