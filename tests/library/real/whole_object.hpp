// SPDX-License-Identifier: MIT
//
// What the tests of hazard pointers and RCU retire is derived from: it is found changed if it is
// looked at after its end, and counts how many were made and ended.
#pragma once

#include <atomic>

namespace real {

/// Object is the class that derives from it.
template <class Object>
struct whole_object {
  static inline std::atomic<long> made{0};
  static inline std::atomic<long> ended{0};

  explicit whole_object(long n) : value(n), copy(n) {
    made.fetch_add(1, std::memory_order_relaxed);
  }
  whole_object(const whole_object&) = delete;
  whole_object& operator=(const whole_object&) = delete;
  ~whole_object() {
    value = -1;
    copy = -2;
    ended.fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_whole() const { return value == copy; }

  long value;
  long copy;
};

}  // namespace real
