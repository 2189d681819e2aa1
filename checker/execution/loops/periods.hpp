// SPDX-License-Identifier: MIT
// Threads that go round their loops together: periods.cpp.
#pragma once

namespace fencepost::checker {

// Has all been the same at the ends of two rounds of the thread, so that the execution is there
// without what lies between the two? `stopped`: it is stopped after one.
bool repeats_with_others(unsigned thread, bool stopped);

}  // namespace fencepost::checker
