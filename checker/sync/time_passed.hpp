// SPDX-License-Identifier: MIT
// What a clock says to a thread after so many events of its own (clocks.cpp).
#pragma once

#include <cstdint>

namespace fencepost::checker {

struct TimePassed {
  std::uint32_t index;
  std::uint64_t clock_ns;
};

}  // namespace fencepost::checker
