// SPDX-License-Identifier: MIT
//
// The lines of JSON that docs/results.md describes, and what is said to people.
#pragma once

#include <vector>

#include "heavy_sides.hpp"

namespace bench {

void report_run(unsigned long rounds, unsigned dirty_lines);
void report(heavy_side& side);
/// The last line, and a sentence on the standard error output where there is one to say. The exit
/// status: 1 if one that is sound was violated.
int conclude(const std::vector<heavy_side>& sides);

}  // namespace bench
