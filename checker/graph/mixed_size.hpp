// SPDX-License-Identifier: MIT
// Accesses of different sizes to the same bytes.
//
// Where they occur, the bytes are cut into pieces such that every access is of whole pieces, and
// each piece is a location with a modification order of its own. The locations of neighbouring
// pieces have neighbouring numbers. An access of several pieces is one event: it has one place in
// program order and one happens-before clock, but a source, or a place in a modification order, for
// each piece. docs/checker/models.md says what holds of them together.
#pragma once

#include <cstdint>

#include "graph/event.hpp"

namespace fencepost::checker {

inline constexpr unsigned kMostPieces = 16;

// A read-write lock is so many pieces of a byte each (sync/locks/read_write_locks.cpp): threads
// that read under it have no order if they read by different ones.
inline constexpr unsigned kLockWords = 8;

// What an event with `more` has besides.
struct MixedSize {
  std::uint32_t at[kMostPieces];  // reads: the write read (raw); writes: the position
  std::uint64_t value_high;       // of accesses of 16 bytes: bytes 8 to 15
  std::uint64_t operand_high;
};

}  // namespace fencepost::checker
