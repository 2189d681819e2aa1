// SPDX-License-Identifier: MIT
//
// Which processors there are, as the kernel's files list them: "0-3,8,10-11".
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>

#include "fencepost/detail/kernel.hpp"

namespace fencepost::processors {

inline constexpr const char* online = "/sys/devices/system/cpu/online";
inline constexpr const char* possible = "/sys/devices/system/cpu/possible";
inline constexpr const char* tickless = "/sys/devices/system/cpu/nohz_full";

/// Calls `each(number)` for every processor of the list. False: the text is no such list, and what
/// was called for is to be forgotten.
template <class Each>
bool for_each_in(const char* text, std::size_t length, Each each) noexcept {
  constexpr unsigned most = 1 << 16;
  const char* const end = text + length;
  const auto number = [&](unsigned& value) {
    if (text == end || *text < '0' || *text > '9') return false;
    for (value = 0; text != end && *text >= '0' && *text <= '9'; ++text) {
      value = value * 10 + static_cast<unsigned>(*text - '0');
      if (value >= most) return false;
    }
    return true;
  };
  while (text != end && *text != '\n') {
    unsigned first = 0;
    if (!number(first)) return false;
    unsigned last = first;
    if (text != end && *text == '-') {
      ++text;
      if (!number(last) || last < first) return false;
    }
    for (unsigned processor = first; processor <= last; ++processor) each(processor);
    if (text == end || *text == '\n') break;
    if (*text++ != ',') return false;
    if (text == end || *text == '\n') return false;
  }
  return true;
}

/// Reads a whole small file, without changing errno; -1 if it cannot be had or is larger.
inline long read_file(const char* path, char* into, std::size_t room) noexcept {
  const long file = kernel::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  long result = -1;
  std::size_t length = 0;
  for (;;) {
    const long got = kernel::call(SYS_read, file, into + length, room - length);
    if (got == -EINTR) continue;
    if (got <= 0) {
      if (got == 0) result = static_cast<long>(length);
      break;
    }
    length += static_cast<std::size_t>(got);
    if (length == room) break;
  }
  kernel::close(file);
  return result;
}

}  // namespace fencepost::processors
