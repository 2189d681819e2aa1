// SPDX-License-Identifier: MIT
// How an execution ends, and how its process does.
#pragma once

#include <cstdint>

namespace fencepost::checker {

// What is called when the process ends, by which kind of end.
enum class ExitList : std::uint8_t { exit, quick_exit };
enum class EndsBy : std::uint8_t { main_returns, exit, quick_exit, at_once };

enum class Ended : std::uint8_t {
  complete,  // every thread finished
  blocked,   // some thread could not go on
  dropped,   // inconsistent: counts for nothing
  stopped,   // a violation or something unsupported
};

}  // namespace fencepost::checker
