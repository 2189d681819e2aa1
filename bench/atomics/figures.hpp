// SPDX-License-Identifier: MIT
//
// What a window measured, as a line of JSON.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"

namespace bench {

using figures = std::vector<std::pair<std::string, double>>;

/// {"program": …, "choice": …, "threads": …, "descheduled": N or 0, "compiler": …, "pinned": …,
/// "variants": {NAME: {FIGURE: NUMBER, …}, …}}, appended to `log`; "-" is standard output.
void write_figures(const char* program, const arguments& given, const std::string& log,
                   const std::vector<std::pair<std::string, figures>>& variants);

/// How even the shares are: the smallest over the largest.
double fairness(const std::vector<unsigned long>& shares);

}  // namespace bench
