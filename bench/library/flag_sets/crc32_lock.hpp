// SPDX-License-Identifier: MIT
//
// The spin mutex of the CRC-32 benchmark, out of line: on AArch64 it is compiled once with the
// atomic instructions of ARMv8.1 (LSE), once without and once with the choice made while it runs.
#pragma once

#include <atomic>

namespace bench {

/// What one set of flags makes of lock() and unlock().
struct spin_functions {
  void (*lock)(std::atomic<bool>& taken);
  void (*unlock)(std::atomic<bool>& taken);
};

}  // namespace bench
