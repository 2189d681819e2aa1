// SPDX-License-Identifier: MIT
// A header that stands where a system's do, but is nobody's library: it tells others of a local.
#pragma once

#include <atomic>

inline std::atomic<int*> told{nullptr};

[[gnu::noinline]] inline void tell_of_a_local() {
  int local = 1;
  told.store(&local, std::memory_order_release);
}
