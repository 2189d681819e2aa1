// SPDX-License-Identifier: MIT
// Passing what the graph has, in the shortest way.
//
// An execution is run along its graph again and again, and most calls of the program come to an
// atomic access that is there already, with the same address, value and order as before, from which
// nobody has to wait. Those leave without a frame of their own, by fencepost_replayed. Everything
// else, and whatever is not as it was, returns false with nothing changed, and goes the long way
// (atomic_accesses.cpp).
#pragma once

#include <cstddef>
#include <cstring>

#include "execution/accesses/values.hpp"
#include "execution/execution.hpp"
#include "execution/loops/turns.hpp"
#include "execution/loops/unseen_code.hpp"
#include "execution/objects.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {

// Sixteen bytes are never passed at once.
inline Value passed(Value result) { return result; }

constexpr Order read_half(Order o) {
  if (o == Order::seq_cst) return o;
  return is_acquire(o) ? Order::acquire : Order::relaxed;
}

constexpr Order write_half(Order o) {
  if (o == Order::seq_cst) return o;
  return is_release(o) ? Order::release : Order::relaxed;
}

// The number of __ATOMIC_RELAXED .. __ATOMIC_SEQ_CST as an order; consume is acquire.
constexpr unsigned kOrderNumbers = 6;
constexpr Order numbered(unsigned number) {
  return static_cast<Order>(number < 2 ? number + 1 : number);
}

// To compare the first bytes of an event at once is quickest: its kind, order, operation, size, and
// that it has one location; and of a read by compare-exchange, both orders asked for. Flags are
// left out.
static_assert(offsetof(Event, kind) == 0 && offsetof(Event, order) == 1 &&
              offsetof(Event, what) == 3 && offsetof(Event, size) == 4 &&
              offsetof(Event, more) == 5 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

// By the number of the order that is asked for.
struct Heads {
  std::uint64_t of[kOrderNumbers];

  constexpr Heads(Kind kind, Operation what, unsigned size) : of{} {
    for (unsigned n = 0; n < kOrderNumbers; ++n) {
      const Order half = kind == Kind::read ? read_half(numbered(n)) : write_half(numbered(n));
      of[n] = static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(half) << 8 |
              static_cast<std::uint64_t>(what) << 24 | static_cast<std::uint64_t>(size) << 32;
    }
  }
};
template <Kind kind, Operation what, typename T>
inline constexpr Heads kHeads{kind, what, sizeof(T)};

// The current thread's next event but `ahead`, if the graph has it and it is this access.
[[gnu::always_inline]] inline const Event* known_access(unsigned ahead, const Heads& heads,
                                                        int order, std::uintptr_t address,
                                                        std::uint64_t pc) {
  if (static_cast<unsigned>(order) >= kOrderNumbers) return nullptr;
  const Thread& t = *execution.current;
  const Event* e = t.log + t.cursor + ahead;
  std::uint64_t head;
  std::memcpy(&head, e, sizeof head);
  const bool is_it = (head & 0x0000'ffff'ff00'ffff) == heads.of[order] && e->pc == pc &&
                     objects[e->location].address == address &&
                     objects[e->location].kind == ObjectKind::atomic;
  return is_it ? e : nullptr;
}

// Has the current thread `count` more events in the graph, and is it free to pass them?
[[gnu::always_inline]] inline bool may_replay(unsigned count) {
  return execution.active && execution.current->cursor + count <= execution.current->known &&
         !execution.current->has_pending && fencepost_unseen_calls == 0;
}

[[gnu::always_inline]] inline bool is_replayed(EventId source) {
  return source == kInitial || execution.threads[source.thread()].cursor > source.index();
}
[[gnu::always_inline]] inline void wait_until_replayed(EventId source) {
  if (!is_replayed(source)) execution.wait_in_passing(source);
}

template <typename T>
[[gnu::always_inline]] inline bool replay_load(const volatile T* p, int order, std::uint64_t pc,
                                               T* value) {
  if (sizeof(T) > 8 || !may_replay(1) || has_turned()) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const Event* e = known_access(0, kHeads<Kind::read, Operation::load, T>, order, address, pc);
  if (e == nullptr) return false;
  wait_until_replayed(e->from);
  ++execution.current->cursor;
  *value = static_cast<T>(e->value);
  return true;
}

template <typename T>
[[gnu::always_inline]] inline bool replay_store(volatile T* p, T value, int order,
                                                std::uint64_t pc) {
  if (sizeof(T) > 8 || !may_replay(1)) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const Event* e = known_access(0, kHeads<Kind::write, Operation::store, T>, order, address, pc);
  if (e == nullptr || e->value != value || regions::in_stacks(address)) return false;
  execution.current->repeat(*e);
  ++execution.current->cursor;
  *p = value;
  return true;
}

// The two halves of a read-modify-write whose read is `read` and that writes `value`.
template <Operation what, typename T>
[[gnu::always_inline]] inline bool replay_rest(const Event* read, volatile T* p, T value, int order,
                                               std::uint64_t pc) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const Event* write = known_access(1, kHeads<Kind::write, what, T>, order, address, pc);
  if (write == nullptr || write->value != value || regions::in_stacks(address)) return false;
  wait_until_replayed(read->from);
  execution.current->repeat(*write);
  execution.current->cursor += 2;
  *p = value;
  return true;
}

template <Operation what, typename T>
[[gnu::always_inline]] inline bool replay_modify(volatile T* p, T operand, int order,
                                                 std::uint64_t pc, T* old) {
  if (sizeof(T) > 8 || !may_replay(2)) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const Event* read = known_access(0, kHeads<Kind::read, what, T>, order, address, pc);
  if (read == nullptr) return false;
  *old = static_cast<T>(read->value);
  return replay_rest<what>(read, p, result_of(what, *old, operand), order, pc);
}

enum class Attempt : std::uint8_t {
  unknown,
  failed,  // and has found `found`
  succeeded,
};
template <typename T>
[[gnu::always_inline]] inline Attempt replay_compare_exchange(volatile T* p, T expected, T desired,
                                                              int success, int failure, bool weak,
                                                              std::uint64_t pc, T* found) {
  constexpr Operation what = Operation::compare_exchange;
  if (sizeof(T) > 8 || !may_replay(1) || (weak && execution.options.weak_cas))
    return Attempt::unknown;
  if (static_cast<unsigned>(success) >= kOrderNumbers ||
      static_cast<unsigned>(failure) >= kOrderNumbers) {
    return Attempt::unknown;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const bool fits = execution.current->log[execution.current->cursor].value == expected;
  const Event* read =
      known_access(0, kHeads<Kind::read, what, T>, fits ? success : failure, address, pc);
  if (read == nullptr || read->operand != expected ||
      read->order_done != read_half(numbered(static_cast<unsigned>(success))) ||
      read->order_failed != read_half(numbered(static_cast<unsigned>(failure)))) {
    return Attempt::unknown;
  }
  if (fits) {
    const bool passes = may_replay(2) && replay_rest<what>(read, p, desired, success, pc);
    return passes ? Attempt::succeeded : Attempt::unknown;
  }
  wait_until_replayed(read->from);
  ++execution.current->cursor;
  *found = static_cast<T>(read->value);
  return Attempt::failed;
}

[[gnu::always_inline]] inline bool replay_fence(Order order, std::uint64_t pc) {
  if (!may_replay(1)) return false;
  const Event& e = execution.current->log[execution.current->cursor];
  if (e.kind != Kind::fence || e.what != Operation::fence || e.order != order || e.pc != pc) {
    return false;
  }
  execution.current->shows_writes();
  ++execution.current->cursor;
  return true;
}

}  // namespace fencepost::checker
