// SPDX-License-Identifier: MIT
//
// The declarations of the C API, as what the library exports: everything else is hidden.
#pragma once

#pragma GCC visibility push(default)
#include "fencepost/fencepost.h"  // IWYU pragma: export
#pragma GCC visibility pop
