// SPDX-License-Identifier: MIT
// Says for functions of the C library what they do to the program's memory.
#pragma once

#include <cstddef>
#include <cstring>

#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "interface/entry.hpp"

namespace fencepost::checker {

[[gnu::always_inline]] inline void touched(const void* p, std::size_t n, bool write,
                                           std::uint64_t pc) {
  if (n == 0 || !exploring()) return;
  check_stack(p, FENCEPOST_STACK(), pc);
  plain_access(address_of(p), n, write, pc);
}
inline void reads(const void* p, std::size_t n, std::uint64_t pc) { touched(p, n, false, pc); }
inline void writes(void* p, std::size_t n, std::uint64_t pc) { touched(p, n, true, pc); }

// By a function that copies between places that must not overlap. That something is copied to
// itself is let pass: compilers make such calls of assignments.
[[gnu::always_inline]] inline void must_be_apart(const void* to, std::size_t written,
                                                 const void* from, std::size_t read,
                                                 std::uint64_t pc) {
  const std::uintptr_t a = address_of(to);
  const std::uintptr_t b = address_of(from);
  if (a == b || a >= b + read || b >= a + written || !exploring()) return;
  execution.violate(
      "memory", pc,
      "thread %u copies %lu bytes between places that overlap, which only memmove may",
      execution.current->id, static_cast<unsigned long>(read));
}
[[gnu::always_inline]] inline void copies_apart(void* to, const void* from, std::size_t n,
                                                std::uint64_t pc) {
  must_be_apart(to, n, from, n, pc);
  touched(from, n, false, pc);
  touched(to, n, true, pc);
}

// A string with its end.
inline void reads_string(const char* s, std::uint64_t pc) { reads(s, std::strlen(s) + 1, pc); }
// How many bytes a function reads of one that looks at n at most: the string's end is among them.
inline std::size_t read_of_string(const char* s, std::size_t n) {
  const std::size_t length = strnlen(s, n);
  return length < n ? length + 1 : n;
}
inline std::size_t reads_string(const char* s, std::size_t n, std::uint64_t pc) {
  reads(s, read_of_string(s, n), pc);
  return strnlen(s, n);
}

}  // namespace fencepost::checker
