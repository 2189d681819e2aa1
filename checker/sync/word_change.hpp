// SPDX-License-Identifier: MIT
// A change of the word of a lock or a semaphore, as one operation.
#pragma once

#include <cstdint>

#include "execution/objects.hpp"
#include "execution/thread.hpp"

namespace fencepost::checker {

// How an operation changes the word of a lock or a semaphore.
struct WordChange {
  ObjectKind kind;
  Operation what;
  std::uintptr_t address;
  std::uint8_t word = 0;      // which of the object's words,
  std::uint8_t more = 0;      // and how many of those that follow
  std::uint64_t initial = 0;  // of a word that nobody has changed yet
  std::uint16_t condition =
      0;  // 0: always; else kCompare with kIfClear or kIfAny, kAwait if it waits
  std::uint64_t operand = 0;
  std::uint64_t add = 0;
  std::uint64_t note = 0;  // kept with the write
  // What is added, and kept, instead if the value has some of the bits of `operand`, without a
  // condition; 0: the same.
  std::uint64_t otherwise = 0;
  std::uint64_t note_otherwise = 0;
  Block why = Block::none;
  bool acquires = true;
  bool releases = false;
  bool may_repeat = false;
  bool begins_section = false;
};

}  // namespace fencepost::checker
