// SPDX-License-Identifier: MIT
// What a verdict takes for granted: a "holds" is worth as much as these sentences.
#pragma once

#include "verdict/text.hpp"

namespace fencepost::checker::report {

// `"assumptions":[…]`, sentences, and `"usual":[…]`: the places in it of those that are made of
// every program that is explored in this way.
void add_assumptions(Text& text);

}  // namespace fencepost::checker::report
