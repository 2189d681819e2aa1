// SPDX-License-Identifier: MIT
//
// What the kernel has counted of the programs that are pinned beside a clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "folder.hpp"

namespace barrierd {

struct program_counts {
  std::string name;
  std::uint64_t runs = 0;         // while somebody had the kernel count them
  std::uint64_t nanoseconds = 0;  // that those runs took
  std::uint64_t missed = 0;       // not run, because it was running
};

/// Of all programs; none where this process may not open them.
std::vector<program_counts> count_programs(const folder& at);

}  // namespace barrierd
