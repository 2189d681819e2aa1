// SPDX-License-Identifier: MIT
//
// An object that needs a lock, and what the runtime's generic functions do with it: this is the
// source that they are made of. (Compilers would inline the calls, or the checker model them.)
#pragma once

#include <cstdint>

#define FENCEPOST_ATOMIC_LOCK "atomics/lock/compare_exchange_spin.hpp"
#include "atomics/object.hpp"

struct three_words {
  std::uint64_t a, b, c;
  bool is_whole() const { return a == b && b == c; }
};

alignas(64) inline three_words memory[3];
#if defined(TWO_LINES)
inline three_words& object = memory[2];  // of which the last word lies in the next line
#else
inline three_words& object = memory[0];
#endif

inline fencepost::atomics::under_locks place() {
  return {reinterpret_cast<std::uintptr_t>(&object), sizeof object};
}
inline unsigned char* bytes(three_words& value) { return reinterpret_cast<unsigned char*>(&value); }

inline void store(std::uint64_t number) {
  three_words value{number, number, number};
  place().store(bytes(value), __ATOMIC_RELEASE);
}
inline three_words load() {
  three_words seen{};
  place().load(bytes(seen), __ATOMIC_ACQUIRE);
  return seen;
}
