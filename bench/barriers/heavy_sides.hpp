// SPDX-License-Identifier: MIT
//
// What is put to the test as HEAVY.
#pragma once

#include <vector>

#include "fencepost/asymmetric_fence.hpp"
#include "store_buffering.hpp"

namespace bench {

struct heavy_side {
  const char* name;
  const char* what;  ///< in a few words
  /// Whether none may be missed.
  bool is_sound;
  /// How many threads are the slow side; many where a heavy fence takes milliseconds.
  unsigned threads;
  /// Makes it usable, each time before rounds of it; false if it does not work here.
  bool (*prepare)();
  /// One heavy fence.
  void (*once)();
  /// Rounds of it.
  void (*run)(store_buffering&, unsigned long most, std::chrono::duration<double> longest);
  bool is_usable = true;
  store_buffering found{};
};

/// All there are. Those from full_fences on must come after the others.
std::vector<heavy_side> all_heavy_sides();

}  // namespace bench
