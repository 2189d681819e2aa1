// SPDX-License-Identifier: MIT
// Clearing and copying a few dozen or hundred bytes, which is done anew for every thread of every
// execution: there the C library takes longer to decide how than to do it, and where nothing is to
// be cleared at the end of a mapping its masked store comes to memory that is not there, which
// takes the processor hundreds of cycles.
#pragma once

#include <cstddef>
#include <cstring>

namespace fencepost::checker {

inline void copy_few(void* to, const void* from, std::size_t bytes) {
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  std::size_t done = 0;
  for (; done + 64 <= bytes; done += 64) {
    std::memcpy(out + done, in + done, 64);
    asm volatile("");  // or the compiler makes a call of the library of it
  }
  for (; done + 16 <= bytes; done += 16) {
    std::memcpy(out + done, in + done, 16);
    asm volatile("");
  }
  for (; done < bytes; ++done) {
    out[done] = in[done];
    asm volatile("");
  }
}

inline void clear_few(void* to, std::size_t bytes) {
  auto* out = static_cast<char*>(to);
  std::size_t done = 0;
  for (; done + 64 <= bytes; done += 64) {
    std::memset(out + done, 0, 64);
    asm volatile("");
  }
  for (; done + 16 <= bytes; done += 16) {
    std::memset(out + done, 0, 16);
    asm volatile("");
  }
  for (; done < bytes; ++done) {
    out[done] = 0;
    asm volatile("");
  }
}

}  // namespace fencepost::checker
