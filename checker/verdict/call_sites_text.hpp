// SPDX-License-Identifier: MIT
// The places that the program's atomic operations are called from, and with which orders: what
// `fencepost weaken` chooses from.
#pragma once

#include "verdict/text.hpp"

namespace fencepost::checker::report {

void add_call_sites(Text& text);
// And what the executions have shown of them.
void add_coverage(Text& text);

}  // namespace fencepost::checker::report
