// SPDX-License-Identifier: MIT
// Code of the program that is not instrumented, so that its accesses to memory are not seen:
// objects and archives that were compiled by somebody else and are taken on trust.
//
// What it writes is an effect all the same: a loop in which it counts does not repeat itself
// (loops.cpp). So where there is such code, memory is compared at every operation that the checker
// sees with what the thread was left with at the one before. The thread's own stack is left out;
// its live part is compared where loops are recognised. No other thread runs in between.
#pragma once

extern "C" const char fencepost_unseen_code[] __attribute__((weak));  // defined by the link

namespace fencepost::checker {

inline bool has_unseen_code() { return fencepost_unseen_code != nullptr; }

}  // namespace fencepost::checker
