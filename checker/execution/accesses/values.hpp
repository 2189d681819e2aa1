// SPDX-License-Identifier: MIT
// What atomic accesses read and write.
#pragma once

#include <cstdint>
#include <cstring>

#include "graph/event.hpp"

namespace fencepost::checker {

// What an atomic access may read or write: 16 bytes at most.
__extension__ using Value = unsigned __int128;

// What a read-modify-write makes of a value.
template <typename T>
constexpr T result_of(Operation what, T old, T operand) {
  switch (what) {
    case Operation::fetch_add:
      return static_cast<T>(old + operand);
    case Operation::fetch_sub:
      return static_cast<T>(old - operand);
    case Operation::fetch_and:
      return old & operand;
    case Operation::fetch_or:
      return old | operand;
    case Operation::fetch_xor:
      return old ^ operand;
    case Operation::fetch_nand:
      return static_cast<T>(~(old & operand));
    default:
      return operand;  // an exchange
  }
}

// Copies the bytes of an access. Of the usual sizes the compiler knows how.
[[gnu::always_inline]] inline void copy_bytes(void* to, const void* from, unsigned size) {
  switch (size) {
    case 1:
      std::memcpy(to, from, 1);
      break;
    case 2:
      std::memcpy(to, from, 2);
      break;
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 8:
      std::memcpy(to, from, 8);
      break;
    default:
      std::memcpy(to, from, size);
  }
}

inline Value from_memory(std::uintptr_t address, unsigned size) {
  Value value = 0;
  copy_bytes(&value, reinterpret_cast<const void*>(address), size);
  return value;
}

inline Value truncated(Value value, unsigned size) {
  return size == sizeof value ? value : value & ((Value{1} << (8 * size)) - 1);
}

constexpr std::uint64_t high(Value value) { return static_cast<std::uint64_t>(value >> 64); }

// A plain write to an atomic object: announced before it is done, its value is picked up at the
// thread's next call.
struct PendingWrite {
  EventId event;
  std::uintptr_t address;
  bool known;  // the graph has its value, which must be the same again
};

// What an atomic object that is a local variable holds before it is written.
struct FirstValue {
  EventId event;
  std::uint64_t value;
};

}  // namespace fencepost::checker
