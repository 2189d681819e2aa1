// SPDX-License-Identifier: MIT
//
// "approach-1" of 17 July 2020 05:31: everything seq_cst. The reporter, there: no error
// seen.
#pragma once

#include <atomic>

namespace fencepost::study::store_buffering {

struct seq_cst {
  std::atomic<bool> x{false}, y{false};

  bool y_seen_by_a() noexcept {
    x.store(true, std::memory_order_seq_cst);
    return y.load(std::memory_order_seq_cst);
  }
  bool x_seen_by_b() noexcept {
    y.store(true, std::memory_order_seq_cst);
    return x.load(std::memory_order_seq_cst);
  }
};

}  // namespace fencepost::study::store_buffering
