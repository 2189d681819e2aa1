// SPDX-License-Identifier: MIT
//
// A pthread_cond_t with our condition variable in it.
//
// Its clock, and whether processes share it, stay where pthread_cond_init() puts them. All zeroes
// are PTHREAD_COND_INITIALIZER.
//
//     0    waiters  the condition variable
//     8    inside   twice the number of threads that may still look at the object, and 1 if
//     somebody
//                   destroys it and waits for them
//     36   flags    glibc's
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include "fencepost/condition_variable.hpp"

namespace fencepost::preload {

struct condition_object {
  alignas(8) basic_condition_variable<futex::scope::process, false> waiters;
  futex::word inside;
  std::uint32_t unused[6];
  std::uint32_t flags;

  static constexpr std::uint32_t shared_flag = 1;
  static constexpr std::uint32_t monotonic_flag = 2;

  static constexpr std::uint32_t one_inside = 2;
  static constexpr std::uint32_t somebody_destroys = 1;

  static condition_object& of(pthread_cond_t* condition) noexcept;

  [[nodiscard]] bool is_glibcs() const noexcept { return (flags & shared_flag) != 0; }
  [[nodiscard]] clockid_t clock() const noexcept {
    return (flags & monotonic_flag) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  }
};

inline condition_object& condition_object::of(pthread_cond_t* condition) noexcept {
  static_assert(offsetof(condition_object, flags) == offsetof(pthread_cond_t, __data.__wrefs));
  static_assert(sizeof(condition_object) <= sizeof(pthread_cond_t) &&
                alignof(condition_object) <= alignof(pthread_cond_t));
  return *reinterpret_cast<condition_object*>(condition);
}

}  // namespace fencepost::preload
