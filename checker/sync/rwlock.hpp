// SPDX-License-Identifier: MIT
// A read-write lock, how it is taken and who has it.
#pragma once

#include <cstdint>

#include "execution/objects.hpp"

namespace fencepost::checker {

struct Rwlock {
  std::uintptr_t address;
  bool writers_first;  // a writer that waits keeps readers out
};

struct RwlockUse {
  bool waits;
  bool announces;  // a writer that others see waiting, where writers go first
  bool may_repeat;
};

struct RwlockHeld {
  bool writing;
  unsigned reading;  // how often
};

struct RwlockWords {
  ObjectKind kind;
  std::uint8_t own;                 // the word that the current thread reads under
  std::uint8_t more;                // those that are written under, besides the first
  std::uint64_t keeps_readers_out;  // bits of the own word
  std::uint64_t keeps_writers_out;  // ... of all words
  std::uint64_t writer;
  std::uint64_t waiting;       // a writer that waits, 0 where nobody cares
  std::uint64_t most_waiting;  // there can be no more of them
};

}  // namespace fencepost::checker
