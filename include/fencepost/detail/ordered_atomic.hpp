// SPDX-License-Identifier: MIT
//
// std::atomic whose compare-exchange has the orders that it was asked for.
//
// gcc 12 on riscv64 makes of an acquiring one that may fail relaxed a plain lr and an sc.aq, which
// the ISA manual gives no meaning, and of a releasing one a pair without any release; only where a
// failure is seq_cst it is what it should be. On ppc64le a compare-exchange that
// releases, and acquires where it fails, has no acquire then. Later versions were not looked at.
// Here fences make up for both. Everywhere else this is std::atomic itself.
#pragma once

#include "fencepost/language.hpp"

#include <atomic>

namespace fencepost::detail {

#if defined(__riscv) && defined(__GNUC__) && !defined(__clang__)

template <class T>
class ordered_atomic : public std::atomic<T> {
  using base = std::atomic<T>;

 public:
  using base::base;
  using base::operator=;

  bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                             std::memory_order failure) noexcept {
    before(success);
    const bool exchanged = base::compare_exchange_weak(expected, desired, success, failure);
    after(success, failure);
    return exchanged;
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                               std::memory_order failure) noexcept {
    before(success);
    const bool exchanged = base::compare_exchange_strong(expected, desired, success, failure);
    after(success, failure);
    return exchanged;
  }
  bool compare_exchange_weak(T& expected, T desired,
                             std::memory_order order = std::memory_order_seq_cst) noexcept {
    return compare_exchange_weak(expected, desired, order, failure_of(order));
  }
  bool compare_exchange_strong(T& expected, T desired,
                               std::memory_order order = std::memory_order_seq_cst) noexcept {
    return compare_exchange_strong(expected, desired, order, failure_of(order));
  }

 private:
  // Proof: none; for riscv64, of which the instructions are read by a test.
  static constexpr std::memory_order failure_of(std::memory_order order) noexcept {
    if (order == std::memory_order_acq_rel) return std::memory_order_acquire;
    if (order == std::memory_order_release) return std::memory_order_relaxed;
    return order;
  }
  static constexpr bool acquires(std::memory_order order) noexcept {
    return order != std::memory_order_relaxed && order != std::memory_order_release;
  }

  // In assembly: these are no orders of the algorithm.
  [[gnu::always_inline]] static void before(std::memory_order success) noexcept {
    if (success == std::memory_order_seq_cst) {
      asm volatile("fence rw, rw" ::: "memory");
    } else if (success == std::memory_order_release || success == std::memory_order_acq_rel) {
      asm volatile("fence rw, w" ::: "memory");
    }
  }
  [[gnu::always_inline]] static void after(std::memory_order success,
                                           std::memory_order failure) noexcept {
    if (acquires(success) || acquires(failure)) asm volatile("fence r, rw" ::: "memory");
  }
};

#elif defined(__powerpc64__) && defined(__GNUC__) && !defined(__clang__)

template <class T>
class ordered_atomic : public std::atomic<T> {
  using base = std::atomic<T>;

 public:
  using base::base;
  using base::operator=;
  using base::compare_exchange_strong;
  using base::compare_exchange_weak;

  bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                             std::memory_order failure) noexcept {
    const bool exchanged = base::compare_exchange_weak(expected, desired, success, failure);
    if (!exchanged) after_failure(success, failure);
    return exchanged;
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                               std::memory_order failure) noexcept {
    const bool exchanged = base::compare_exchange_strong(expected, desired, success, failure);
    if (!exchanged) after_failure(success, failure);
    return exchanged;
  }

 private:
  // Proof: none; for ppc64le, of which the instructions are read by a test. In assembly: this is no
  // order of the algorithm.
  [[gnu::always_inline]] static void after_failure(std::memory_order success,
                                                   std::memory_order failure) noexcept {
    if (success == std::memory_order_release && failure != std::memory_order_relaxed) {
      asm volatile("lwsync" ::: "memory");
    }
  }
};

#else

template <class T>
using ordered_atomic = std::atomic<T>;

#endif

}  // namespace fencepost::detail
