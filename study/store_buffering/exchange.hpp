// SPDX-License-Identifier: MIT
//
// "approach-2" of 17 July 2020 05:31: exchange in place of the store, on two different variables.
// The reporter, there: no error seen. The reviewer, 20 July: is there a proof?
#pragma once

#include <atomic>

namespace fencepost::study::store_buffering {

struct exchange {
  std::atomic<bool> x{false}, y{false};

  bool y_seen_by_a() noexcept {
    x.exchange(true, std::memory_order_release);
    return y.load(std::memory_order_acquire);
  }
  bool x_seen_by_b() noexcept {
    y.exchange(true, std::memory_order_release);
    return x.load(std::memory_order_acquire);
  }
};

}  // namespace fencepost::study::store_buffering
