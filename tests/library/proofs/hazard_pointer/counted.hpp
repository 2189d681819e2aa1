// SPDX-License-Identifier: MIT
//
// Objects that are counted as they end.
#pragma once

#include <atomic>

#include "fencepost/hazard_pointer.hpp"

inline std::atomic<int> reclaimed{0};

struct counted : fencepost::hazard_pointer_obj_base<counted> {
  ~counted() {
    // relaxed: looked at when the threads have been joined.
    reclaimed.fetch_add(1, std::memory_order_relaxed);
  }
};
