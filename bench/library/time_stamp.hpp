// SPDX-License-Identifier: MIT
//
// Time in ticks of the time-stamp counter of x86, which goes at one speed whatever the processor's
// clock does: reference cycles. They are for comparison with figures that others give in cycles,
// and with those only as nearly as a processor's nominal clock is its clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace bench {

/// Ticks so far; 0 where there is no such counter.
inline std::uint64_t time_stamp() {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_ia32_rdtsc();
#else
  return 0;
#endif
}

/// How fast the counter goes, from its beginning on.
class tick_rate {
 public:
  /// Ticks a second by now; 0 where there are none.
  [[nodiscard]] double now() const {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began_;
    return took.count() > 0 ? static_cast<double>(time_stamp() - ticks_) / took.count() : 0.0;
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::uint64_t ticks_ = time_stamp();
};

}  // namespace bench
