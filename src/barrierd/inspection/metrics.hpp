// SPDX-License-Identifier: MIT
//
// The clock for those who watch machines: in the text format of Prometheus, and whether all is well
// as the exit status.
#pragma once

#include "arguments.hpp"

namespace barrierd {

/// Prints them, at once. Returns 0 if there is a clock and it is alive, and 1 otherwise.
int metrics(const arguments& chosen);

}  // namespace barrierd
