// SPDX-License-Identifier: MIT
//
// A caller's memory order is an argument; an instruction's is part of its name. with_order() goes
// from the one to the other: it calls the function with a constant, the caller's order or the
// weakest stronger one that this processor tells from it. An order that does not exist is seq_cst,
// as the compilers have it.
#pragma once

#include "types.hpp"

namespace fencepost::atomics {

template <int Order>
struct order_constant {
  static constexpr int value = Order;
};

/// A failed compare-exchange is a load; a successful one that stores with release may still load
/// with acquire. One order serves for both: the weakest that is as strong as either.
constexpr int joined(int success, int failure) noexcept {
  if (success == failure || failure == __ATOMIC_RELAXED) return success;
  if (success == __ATOMIC_SEQ_CST || failure == __ATOMIC_SEQ_CST) return __ATOMIC_SEQ_CST;
  if (success == __ATOMIC_RELEASE || success == __ATOMIC_ACQ_REL) return __ATOMIC_ACQ_REL;
  return __ATOMIC_ACQUIRE;
}

/// What a failed compare-exchange of this order is.
constexpr int failure_of(int order) noexcept {
  if (order == __ATOMIC_ACQ_REL) return __ATOMIC_ACQUIRE;
  if (order == __ATOMIC_RELEASE) return __ATOMIC_RELAXED;
  return order;
}

constexpr bool acquires(int order) noexcept {
  return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}
constexpr bool releases(int order) noexcept {
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

template <class Load>
[[gnu::always_inline]] inline auto with_load_order(int order, Load load) noexcept {
#if defined(__x86_64__)
  (void)order;  // every load is an acquire, and the seq_cst stores do the rest
  return load(order_constant<__ATOMIC_ACQUIRE>{});
#else
  switch (order) {
    case __ATOMIC_RELAXED:
      return load(order_constant<__ATOMIC_RELAXED>{});
    case __ATOMIC_CONSUME:
    case __ATOMIC_ACQUIRE:
      return load(order_constant<__ATOMIC_ACQUIRE>{});
    default:
      return load(order_constant<__ATOMIC_SEQ_CST>{});
  }
#endif
}

template <class Store>
[[gnu::always_inline]] inline auto with_store_order(int order, Store store) noexcept {
  switch (order) {
    case __ATOMIC_RELAXED:
#if !defined(__x86_64__)
      return store(order_constant<__ATOMIC_RELAXED>{});
#endif
    case __ATOMIC_RELEASE:
      return store(order_constant<__ATOMIC_RELEASE>{});
    default:
      return store(order_constant<__ATOMIC_SEQ_CST>{});
  }
}

/// For read-modify-writes, a compare-exchange among them.
template <class Change>
[[gnu::always_inline]] inline auto with_order(int order, Change change) noexcept {
#if defined(__x86_64__)
  (void)order;  // they are all one instruction, with lock
  return change(order_constant<__ATOMIC_SEQ_CST>{});
#else
  switch (order) {
    case __ATOMIC_RELAXED:
      return change(order_constant<__ATOMIC_RELAXED>{});
    case __ATOMIC_CONSUME:
    case __ATOMIC_ACQUIRE:
      return change(order_constant<__ATOMIC_ACQUIRE>{});
    case __ATOMIC_RELEASE:
      return change(order_constant<__ATOMIC_RELEASE>{});
    case __ATOMIC_ACQ_REL:
      return change(order_constant<__ATOMIC_ACQ_REL>{});
    default:
      return change(order_constant<__ATOMIC_SEQ_CST>{});
  }
#endif
}

}  // namespace fencepost::atomics
