// SPDX-License-Identifier: MIT
//
// What this AArch64 processor can do with 16 bytes, asked once: of the auxiliary vector, which the
// kernel hands to the program, and which /proc/self/auxv holds. The C library's getauxval() may not
// be there. Where /proc is not mounted, the processor is taken for one that can do the least; its
// instructions work together with the better ones.
#pragma once

#include <elf.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include <cstdint>

#include "fencepost/detail/kernel.hpp"

namespace fencepost::atomics::aarch64 {

inline constexpr std::uint32_t asked = 1;
inline constexpr std::uint32_t has_lse = 2;   // compare-and-swap of a pair: casp
inline constexpr std::uint32_t has_lse2 = 4;  // aligned ldp and stp are atomic

inline std::uint32_t features_once_asked = 0;

[[gnu::noinline, gnu::cold]] inline std::uint32_t ask() noexcept {
  constexpr std::uint64_t hwcap_atomics = 1u << 8;
  constexpr std::uint64_t hwcap_uscat = 1u << 25;
  std::uint32_t found = asked;
  const long file =
      kernel::call(SYS_openat, long{AT_FDCWD}, "/proc/self/auxv", long{O_RDONLY | O_CLOEXEC});
  if (file >= 0) {
    std::uint64_t entry[2];
    while (kernel::call(SYS_read, file, entry, sizeof entry) == long{sizeof entry}) {
      if (entry[0] != AT_HWCAP) continue;
      if ((entry[1] & hwcap_atomics) != 0) found |= has_lse;
      if ((entry[1] & hwcap_uscat) != 0) found |= has_lse2;
      break;
    }
    kernel::call(SYS_close, file);
  }
  // relaxed: whoever asks gets an answer that works with every other
  __atomic_store_n(&features_once_asked, found, __ATOMIC_RELAXED);
  return found;
}

[[gnu::always_inline]] inline std::uint32_t features() noexcept {
  const std::uint32_t known = __atomic_load_n(&features_once_asked, __ATOMIC_RELAXED);
  if (known == 0) [[unlikely]]
    return ask();
  return known;
}

}  // namespace fencepost::atomics::aarch64
