// SPDX-License-Identifier: MIT
#pragma once

#include "arguments.hpp"

namespace barrierd {

/// Prints what the clock says in one object of JSON; docs/library/barrierd.md names the fields.
/// Watches it for a while first. Returns 0 if it is alive.
int status(const arguments& chosen);

}  // namespace barrierd
