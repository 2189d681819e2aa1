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
//   Counters · the execution of the violation that is kept: its size, 0 if there is none, and a
//   work item of it alone · work items: their number, then each one's size and the work item itself
//   (explore/work_item.cpp)
//
// The checksum finds damage, not malice: anybody can compute it. So nothing in the file is believed
// that can be looked at. Every number is tried before it is used (graph/verify.cpp, work_item.cpp),
// a violation is found again before it is told, and one that is found later in what the file says
// is told if its execution is one (explore/witness.cpp). What is left out of the file nobody can
// miss: that it is whole the certificate says.
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
// Puts what was left on the explorer's pile and what was counted into the counters; false if it
// makes no sense after all.
bool restore();
// Writes what is left. Returns what went wrong, or nullptr.
const char* save();
// There is a verdict: nothing to go on from any more.
void remove();
const char* path();
// What to say of a checkpoint that cannot be true.
const char* implausible();

}  // namespace fencepost::checker::checkpoint
