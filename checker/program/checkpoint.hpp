// SPDX-License-Identifier: MIT
// A file that an exploration which was stopped goes on from.
//
// It is text up to an empty line, then bytes:
//
//   fencepost checkpoint 1
//   version …                     the three lines of identity.hpp
//   program …
//   rules …
//   bytes SIZE checksum CRC32     of what follows the empty line
//
//   Totals · the violation that is kept: its size, its events, its text · parcels: their number,
//   then each one's size and the parcel itself (explore/parcel.cpp)
//
// It is written under another name and then renamed, so that there is a whole one or none.
#pragma once

#include "graph/bytes.hpp"

namespace fencepost::checker::checkpoint {

// Reads the file, if there is one. Returns what is wrong with it, or nullptr.
const char* open(const char* path, const Bytes& identity);
// Is there a file to go on from, or to be written when the exploration is stopped?
bool wanted();
bool found();
// Puts what was left on the explorer's pile and what was counted into the totals; false if it makes
// no sense after all.
bool restore();
// Writes what is left. Returns what went wrong, or nullptr.
const char* save();
// There is a verdict: nothing to go on from any more.
void remove();
const char* path();

}  // namespace fencepost::checker::checkpoint
