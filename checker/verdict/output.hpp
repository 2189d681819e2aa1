// SPDX-License-Identifier: MIT
// Where the lines of the results go: from a worker to the process that leads the search, from that
// to the command line.
#pragma once

#include "graph/bytes.hpp"
#include "verdict/text.hpp"

namespace fencepost::checker::report {

// Sends what was written as one line, and empties it.
void send(Text& text);
// Ends the process; not by _exit, which is an entry point of the program.
[[noreturn]] void leave(int status);

}  // namespace fencepost::checker::report
