// SPDX-License-Identifier: MIT
// The signals that the checker takes for itself.
#pragma once

namespace fencepost::checker {

// Before constructors of static objects run, which may crash.
void install_crash_handlers();
void install_signals();
// A system call that a filter refuses: the exploration ends, and says which.
void install_refusal();
// The clock that on_tick goes by: a process has it of its own, not from whoever forked it.
void start_ticking();

}  // namespace fencepost::checker
