// SPDX-License-Identifier: MIT
//
// The demonstration with release and acquire on both sides: the reporter, 17 July 2020 05:31, saw
// the error with it.
#pragma once

#include <atomic>

namespace fencepost::study::store_buffering {

struct release_acquire {
  std::atomic<bool> x{false}, y{false};

  bool y_seen_by_a() noexcept {
    x.store(true, std::memory_order_release);
    return y.load(std::memory_order_acquire);
  }
  bool x_seen_by_b() noexcept {
    y.store(true, std::memory_order_release);
    return x.load(std::memory_order_acquire);
  }
};

}  // namespace fencepost::study::store_buffering
