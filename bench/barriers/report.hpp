// SPDX-License-Identifier: MIT
//
// The lines of JSON that docs/lab/results.md describes, and what is said to people.
#pragma once

#include <vector>

#include "heavy_sides.hpp"

namespace bench {

void report_run(unsigned long rounds, unsigned dirty_lines);
/// How late a store was still missed by sides that order nothing, in nanoseconds (of a hundred
/// such rounds one may be later); 0 if none was.
std::uint32_t longest_miss(const std::vector<heavy_side>& sides);
/// `miss`: a heavy fence that takes longer leaves nothing to be missed.
void report(heavy_side& side, std::uint32_t miss);
/// The last line, and a sentence on the standard error output where there is one to say. The exit
/// status: 1 if one that is sound was violated.
int conclude(const std::vector<heavy_side>& sides);

}  // namespace bench
