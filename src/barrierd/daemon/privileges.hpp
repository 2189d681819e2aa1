// SPDX-License-Identifier: MIT
//
// What the daemon may do: CAP_BPF and CAP_PERFMON until the program is attached, nothing
// afterwards. What it holds by then, file descriptors, needs no capability.
#pragma once

namespace barrierd {

/// Throws a failure that names the capabilities which are missing.
void require_capabilities();

/// May this process ask the kernel what programs cost?
bool may_administer();

/// Gives up every capability of the process, for ever.
void drop_capabilities();

}  // namespace barrierd
