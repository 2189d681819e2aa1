// SPDX-License-Identifier: MIT
// What the command line asked for, as passed in the environment variable FENCEPOST_CHECK.
#pragma once

#include <cstdint>

#include "model/model.hpp"

namespace fencepost::checker {

struct Options {
  const Model* model = &kRc11;
  bool all = false;    // go on after a violation and count
  double timeout = 0;  // seconds, 0: none
  std::uint64_t max_executions = 0;
  std::uint32_t max_events = 10000;  // of one thread
  bool timeouts = false;             // timed waits may time out
  bool spurious = false;             // waits may return without a wake-up
  bool weak_cas = false;             // compare_exchange_weak may fail for no reason
  bool no_membarrier = false;        // the kernel does not have the system call
  bool leaks = false;
  bool dump = false;      // write every execution
  bool sites = false;     // write which atomic operations are called, and their orders
  double progress = 0.5;  // seconds between progress lines, 0: none
  int fd = 1;             // where results go
};

// Reads "key=value key=value"; on a mistake returns a message, else nullptr.
const char* parse_options(const char* text, Options* options);

}  // namespace fencepost::checker
