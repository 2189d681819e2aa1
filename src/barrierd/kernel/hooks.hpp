// SPDX-License-Identifier: MIT
//
// Which of the kernel's tracepoints the programs are attached to. x86 has one for each kind of
// interrupt; the others have those that all architectures share. A kernel may lack any of them.
#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"

struct bpf_object;

namespace barrierd {

/// Leaves in the object the programs that this kernel has tracepoints for and that are of the
/// chosen kind, and returns whether they are those of x86. Throws a failure if there is none for
/// the interrupts of timers.
bool choose_hooks(bpf_object* object, hook_choice choice);

}  // namespace barrierd
