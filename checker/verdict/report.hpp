// SPDX-License-Identifier: MIT
// What the checker tells the command line: JSON Lines, described in docs/results.md.
#pragma once

#include <cstdint>

#include "execution/runtime.hpp"

namespace fencepost::checker::report {

void progress(const Totals& so_far);
void execution(Ended how);
// Nothing that was found so far counts any more.
void begin_anew();

// Writes the result and ends the process with the exit status of the contract.
[[noreturn]] void finish();
// The same at once, from a signal handler too: there is no verdict, for this reason.
[[noreturn]] void inconclusive_now(const char* reason, std::uint64_t pc);

}  // namespace fencepost::checker::report
