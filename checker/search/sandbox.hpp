// SPDX-License-Identifier: MIT
// What is left of what a process may do, for programs that the user has not written
// (lab/fencepost/explore/sandbox.py, which begins it).
#pragma once

namespace fencepost::checker::sandbox {

// Enters the filter of system calls that the command line has made. Ends the process, and says why,
// if that cannot be done.
void enter();

}  // namespace fencepost::checker::sandbox
