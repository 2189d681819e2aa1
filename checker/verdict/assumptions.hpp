// SPDX-License-Identifier: MIT
// What a verdict takes for granted: a "holds" is worth as much as these sentences.
#pragma once

#include "verdict/text.hpp"

namespace fencepost::checker::report {

// As quoted sentences, with commas between them.
void add_assumptions(Text& text);

}  // namespace fencepost::checker::report
