// SPDX-License-Identifier: MIT
//
// The three ways to begin and end a clock.
#pragma once

#include "arguments.hpp"

namespace barrierd {

/// Keeps a clock until SIGTERM, SIGINT or SIGHUP. Returns the exit status.
int serve(const arguments& chosen);

/// Pins a clock that needs no process.
int once(const arguments& chosen);

/// Ends what the two have begun.
int stop(const arguments& chosen);

}  // namespace barrierd
