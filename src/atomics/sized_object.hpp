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
/// read-modify-write.
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
    if (is_native()) [[likely]] {
      return with_load_order(
          order, [this](auto is) noexcept { return operations::template load<is.value>(at_); });
    }
    return load_locked(at_, order);
  }

  [[gnu::always_inline]] void store(value_type value, int order) const noexcept {
    if (is_native()) [[likely]] {
      return with_store_order(order, [this, value](auto is) noexcept {
        operations::template store<is.value>(at_, value);
      });
    }
    store_locked(at_, value, order);
  }

  [[gnu::always_inline]] value_type exchange(value_type value, int order) const noexcept {
    if (is_native()) [[likely]] {
      return with_order(order, [this, value](auto is) noexcept {
        return operations::template exchange<is.value>(at_, value);
      });
    }
    return exchange_locked(at_, value, order);
  }

  /// `expected` may be aligned to less than its size, as a structure of two pointers is.
  [[gnu::always_inline]] bool compare_exchange(unsigned char* expected, value_type value,
                                               int order) const noexcept {
    if (is_native()) [[likely]] {
      return with_order(order, [this, expected, value](auto is) noexcept {
        auto seen = read_private<value_type>(expected);
        const bool exchanged = operations::template compare_exchange<is.value>(at_, seen, value);
        if (!exchanged) write_private(expected, seen);
        return exchanged;
      });
    }
    return compare_exchange_locked(at_, expected, value, order);
  }

  /// Returns the value before.
  template <class Operation>
  [[gnu::always_inline]] value_type fetch(value_type right, int order) const noexcept {
    if constexpr (has_arithmetic<Operation>) {
      return with_order(order, [this, right](auto is) noexcept {
        return Operation::template read_modify_write<is.value>(at_, right);
      });
    } else {
      if (is_native()) [[likely]] {
        return with_order(order, [this, right](auto is) noexcept {
          value_type before = operations::guess(at_);
          while (!operations::template compare_exchange<is.value>(at_, before,
                                                                  Operation::of(before, right))) {
            continue;
          }
          return before;
        });
      }
      return fetch_locked<Operation>(at_, right, order);
    }
  }

 private:
  [[gnu::always_inline]] bool is_native() const noexcept {
    return Size < 16 || place_of(reinterpret_cast<uintptr_t>(at_), Size) == Size;
  }

  // By value: a value whose address is taken would be kept in memory where no lock is needed, too.
  [[gnu::noinline]] static value_type load_locked(value_type* at, int order) noexcept {
    value_type result;
    locked(at).load(bytes(result), order);
    return result;
  }
  [[gnu::noinline]] static void store_locked(value_type* at, value_type value, int order) noexcept {
    locked(at).store(bytes(value), order);
  }
  [[gnu::noinline]] static value_type exchange_locked(value_type* at, value_type value,
                                                      int order) noexcept {
    locked(at).exchange(bytes(value), bytes(value), order);
    return value;
  }
  [[gnu::noinline]] static bool compare_exchange_locked(value_type* at, unsigned char* expected,
                                                        value_type value, int order) noexcept {
    return locked(at).compare_exchange(expected, bytes(value), order);
  }
  template <class Operation>
  [[gnu::noinline]] static value_type fetch_locked(value_type* at, value_type right,
                                                   int order) noexcept {
    value_type before = load_locked(at, __ATOMIC_RELAXED);
    while (!compare_exchange_locked(at, bytes(before), Operation::of(before, right), order)) {
      continue;
    }
    return before;
  }
  static under_locks locked(value_type* at) noexcept {
    return {reinterpret_cast<uintptr_t>(at), Size};
  }
  static auto* bytes(value_type& value) noexcept {
    return reinterpret_cast<unsigned char*>(&value);
  }

  value_type* at_;
};

}  // namespace fencepost::atomics
