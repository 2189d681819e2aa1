// SPDX-License-Identifier: MIT
//
// Objects of 1, 2, 4, 8 and 16 bytes, which have arithmetic and functions of their own. Compilers
// call those for aligned objects only: up to 8 bytes the processor serves them, and 16 bytes are
// asked for in place_of() like all others.
#pragma once

#include <type_traits>

#include "object.hpp"

namespace fencepost::atomics {

/// An arithmetic function: of two values, and as the processor's or the compiler's
/// read-modify-write, which answers with the value before, or the value after: change().
#define FENCEPOST_OPERATION(name, expression)                                             \
  struct fetch_##name {                                                                   \
    template <class Word>                                                                 \
    static constexpr Word of(Word left, Word right) noexcept {                            \
      return static_cast<Word>(expression);                                               \
    }                                                                                     \
    template <int Order, class Word>                                                      \
    [[gnu::always_inline]] static Word read_modify_write(Word* at, Word right) noexcept { \
      return __atomic_fetch_##name(at, right, Order);                                     \
    }                                                                                     \
    template <int Order, class Word>                                                      \
    [[gnu::always_inline]] static Word change(Word* at, Word right) noexcept {            \
      return __atomic_##name##_fetch(at, right, Order);                                   \
    }                                                                                     \
  };
FENCEPOST_OPERATION(add, left + right)
FENCEPOST_OPERATION(sub, left - right)
FENCEPOST_OPERATION(and, left& right)
FENCEPOST_OPERATION(or, left | right)
FENCEPOST_OPERATION(xor, left ^ right)
FENCEPOST_OPERATION(nand, ~(left& right))
#undef FENCEPOST_OPERATION

template <unsigned Size>
class sized_object {
  using operations = word_operations<Size>;
  // On riscv64 of 4 and 8 bytes, and nand not: gcc makes it of a compare-exchange of its own.
  template <class Operation>
  static constexpr bool has_arithmetic =
#if defined(__riscv)
      (Size == 4 || Size == 8) && !std::is_same_v<Operation, fetch_nand>;
#else
      Size <= 8;
#endif

 public:
  using value_type = typename operations::value_type;

  [[gnu::always_inline]] explicit sized_object(const volatile void* object) noexcept
      : at_(const_cast<value_type*>(static_cast<const volatile value_type*>(object))) {}

  [[gnu::always_inline]] value_type load(int order) const noexcept {
    if (is_known_native()) return load_native(order);
    return load_otherwise(*this, order);
  }

  [[gnu::always_inline]] void store(value_type value, int order) const noexcept {
    if (is_known_native()) return store_native(value, order);
    store_otherwise(*this, value, order);
  }

  [[gnu::always_inline]] value_type exchange(value_type value, int order) const noexcept {
    if (is_known_native()) return exchange_native(value, order);
    return exchange_otherwise(*this, value, order);
  }

  /// `expected` may be aligned to less than its size, as a structure of two pointers is.
  [[gnu::always_inline]] int compare_exchange(unsigned char* expected, value_type value,
                                              int success, int failure) const noexcept {
    if (is_known_native()) {
      return compare_exchange_native(expected, value, joined(success, failure));
    }
    return compare_exchange_otherwise(*this, expected, value, success, failure);
  }

  /// Returns the value before.
  template <class Operation>
  [[gnu::always_inline]] value_type fetch(value_type right, int order) const noexcept {
    if (is_known_native()) return fetch_native<Operation>(right, order);
    return fetch_otherwise<Operation>(*this, right, order);
  }
  /// Returns the value after.
  template <class Operation>
  [[gnu::always_inline]] value_type change(value_type right, int order) const noexcept {
    if constexpr (has_arithmetic<Operation>) {
      return with_order(order, [this, right](auto is) noexcept {
        return Operation::template change<is.value>(at_, right);
      });
    } else {
      return Operation::of(fetch<Operation>(right, order), right);
    }
  }

 private:
  bool is_aligned() const noexcept { return reinterpret_cast<uintptr_t>(at_) % Size == 0; }
  [[gnu::always_inline]] bool is_known_native() const noexcept {
    if (Size < 16) return true;
    return __builtin_expect(is_aligned(), 1) && __builtin_expect(operations::is_known_native(), 1);
  }
  bool is_native_after_all() const noexcept {
    return is_aligned() && operations::is_native_after_all();
  }

  [[gnu::always_inline]] value_type load_native(int order) const noexcept {
    return with_load_order(
        order, [this](auto is) noexcept { return operations::template load<is.value>(at_); });
  }
  [[gnu::always_inline]] void store_native(value_type value, int order) const noexcept {
    with_store_order(order, [this, value](auto is) noexcept {
      operations::template store<is.value>(at_, value);
    });
  }
  [[gnu::always_inline]] value_type exchange_native(value_type value, int order) const noexcept {
    return with_order(order, [this, value](auto is) noexcept {
      return operations::template exchange<is.value>(at_, value);
    });
  }
  [[gnu::always_inline]] int compare_exchange_native(unsigned char* expected, value_type value,
                                                     int order) const noexcept {
    return with_order(order, [this, expected, value](auto is) noexcept {
      auto seen = read_private<value_type>(expected);
      const bool exchanged = operations::template compare_exchange<is.value>(at_, seen, value);
      if (exchanged) [[likely]] {
        // A constant behind a branch: whoever waits for the answer need not wait for the exchange.
        int yes = 1;
        asm("" : "+r"(yes));
        return yes;
      }
      write_private(expected, seen);
      return 0;
    });
  }
  template <class Operation>
  [[gnu::always_inline]] value_type fetch_native(value_type right, int order) const noexcept {
    return with_order(order, [this, right](auto is) noexcept {
      if constexpr (has_arithmetic<Operation>) {
        return Operation::template read_modify_write<is.value>(at_, right);
      } else {
        value_type before = operations::guess(at_);
        while (!operations::template compare_exchange<is.value>(at_, before,
                                                                Operation::of(before, right))) {
          continue;
        }
        return before;
      }
    });
  }

  // What nobody asked the processor yet, and what locks serve: functions of their own, so that all
  // else has no frame. By value: a value whose address is taken would be kept in memory.
  [[gnu::noinline]] static value_type load_otherwise(sized_object at, int order) noexcept {
    if (at.is_native_after_all()) return at.load_native(order);
    value_type result;
    at.locked().load(bytes(result), order);
    return result;
  }
  [[gnu::noinline]] static void store_otherwise(sized_object at, value_type value,
                                                int order) noexcept {
    if (at.is_native_after_all()) return at.store_native(value, order);
    at.locked().store(bytes(value), order);
  }
  [[gnu::noinline]] static value_type exchange_otherwise(sized_object at, value_type value,
                                                         int order) noexcept {
    if (at.is_native_after_all()) return at.exchange_native(value, order);
    at.locked().exchange(bytes(value), bytes(value), order);
    return value;
  }
  // The caller's orders, for it has them in registers.
  [[gnu::noinline]] static int compare_exchange_otherwise(sized_object at, unsigned char* expected,
                                                          value_type value, int success,
                                                          int failure) noexcept {
    const int order = joined(success, failure);
    if (at.is_native_after_all()) return at.compare_exchange_native(expected, value, order);
    return at.locked().compare_exchange(expected, bytes(value), order);
  }
  template <class Operation>
  [[gnu::noinline]] static value_type fetch_otherwise(sized_object at, value_type right,
                                                      int order) noexcept {
    if (at.is_native_after_all()) return at.template fetch_native<Operation>(right, order);
    value_type before;
    at.locked().load(bytes(before), __ATOMIC_RELAXED);
    for (;;) {
      value_type after = Operation::of(before, right);
      if (at.locked().compare_exchange(bytes(before), bytes(after), order)) return before;
    }
  }
  under_locks locked() const noexcept { return {reinterpret_cast<uintptr_t>(at_), Size}; }
  static auto* bytes(value_type& value) noexcept {
    return reinterpret_cast<unsigned char*>(&value);
  }

  value_type* at_;
};

}  // namespace fencepost::atomics
