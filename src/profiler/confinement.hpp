// SPDX-License-Identifier: MIT
//
// A process that has the kernel refuse system calls, by seccomp, may be killed for one that it does
// not make itself. From then on the recorder makes none: its tables keep to the room that they
// have, and of children nothing is recorded. Nor of what it executes, for there nobody knows of the
// filter.
#pragma once

#include <linux/seccomp.h>

#include <cstdint>

namespace fencepost::profiler {

/// Makes ready for a filter: what has to be asked of the kernel is asked now.
void before_confinement() noexcept;

/// The call that was to set the filter has returned.
void after_confinement(bool has_failed) noexcept;

template <class Call>
auto confine(Call call) noexcept {
  before_confinement();
  const auto result = call();
  after_confinement(result == -1);
  return result;
}

inline bool sets_filter(unsigned long operation) noexcept {
  return operation == SECCOMP_SET_MODE_STRICT || operation == SECCOMP_SET_MODE_FILTER;
}

}  // namespace fencepost::profiler
