// SPDX-License-Identifier: MIT
// Passing what the graph has, in the shortest way.
//
// An execution is run along its graph again and again, and most calls of the program come to an
// atomic access that is there already, with the same address, value and order as before, from which
// nobody has to wait. Those leave without a frame of their own, by fencepost_replayed. Everything
// else, and whatever is not as it was, returns false with nothing changed, and goes the long way
// (atomic_accesses.cpp).
#pragma once

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

// The current thread's next event but `ahead`, if the graph has it and it is this access.
[[gnu::always_inline]] inline const Event* known_access(unsigned ahead, Kind kind, Operation what,
                                                        std::uintptr_t address, unsigned size,
                                                        std::uint64_t pc) {
  const Thread& t = *execution.current;
  const Event* e = t.log + t.cursor + ahead;
  const bool is_it = e->kind == kind && e->what == what && e->pc == pc && e->size == size &&
                     e->more == 0 && objects[e->location].address == address &&
                     objects[e->location].kind == ObjectKind::atomic;
  return is_it ? e : nullptr;
}

// Has the current thread `count` more events in the graph, and is it free to pass them?
[[gnu::always_inline]] inline bool may_replay(unsigned count) {
  return execution.active && execution.current->cursor + count <= execution.current->known &&
         !execution.current->has_pending && fencepost_unseen_calls == 0;
}

[[gnu::always_inline]] inline bool is_replayed(EventId source) {
  return source == kInitial || source.thread() == execution.current->id ||
         execution.threads[source.thread()].cursor > source.index();
}

template <typename T>
[[gnu::always_inline]] inline bool replay_load(const volatile T* p, Order order, std::uint64_t pc,
                                               T* value) {
  if (sizeof(T) > 8 || !may_replay(1) || has_turned()) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const Event* e = known_access(0, Kind::read, Operation::load, address, sizeof(T), pc);
  if (e == nullptr || e->order != order || !is_replayed(e->from)) return false;
  ++execution.current->cursor;
  *value = static_cast<T>(e->value);
  return true;
}

template <typename T>
[[gnu::always_inline]] inline bool replay_store(volatile T* p, T value, Order order,
                                                std::uint64_t pc) {
  if (sizeof(T) > 8 || !may_replay(1)) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const Event* e = known_access(0, Kind::write, Operation::store, address, sizeof(T), pc);
  if (e == nullptr || e->order != order || e->value != value || regions::in_stacks(address)) {
    return false;
  }
  execution.current->repeat(*e);
  ++execution.current->cursor;
  *p = value;
  return true;
}

// The two halves of a read-modify-write whose read is `read` and that writes `value`.
template <typename T>
[[gnu::always_inline]] inline bool replay_rest(const Event* read, volatile T* p, T value,
                                               Operation what, Order order, std::uint64_t pc) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const Event* write = known_access(1, Kind::write, what, address, sizeof(T), pc);
  if (write == nullptr || write->order != write_half(order) || write->value != value ||
      !is_replayed(read->from) || regions::in_stacks(address)) {
    return false;
  }
  execution.current->repeat(*write);
  execution.current->cursor += 2;
  *p = value;
  return true;
}

template <typename T>
[[gnu::always_inline]] inline bool replay_modify(Operation what, volatile T* p, T operand,
                                                 Order order, std::uint64_t pc, T* old) {
  if (sizeof(T) > 8 || !may_replay(2)) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const Event* read = known_access(0, Kind::read, what, address, sizeof(T), pc);
  if (read == nullptr || read->order != read_half(order)) return false;
  *old = static_cast<T>(read->value);
  return replay_rest(read, p, result_of(what, *old, operand), what, order, pc);
}

// One that succeeds.
template <typename T>
[[gnu::always_inline]] inline bool replay_compare_exchange(volatile T* p, const T* expected,
                                                           T desired, Order success, Order failure,
                                                           bool weak, std::uint64_t pc) {
  if (sizeof(T) > 8 || !may_replay(2) || (weak && execution.options.weak_cas)) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const Event* read =
      known_access(0, Kind::read, Operation::compare_exchange, address, sizeof(T), pc);
  if (read == nullptr || read->operand != *expected || read->value != *expected ||
      read->order_done != read_half(success) || read->order_failed != read_half(failure)) {
    return false;
  }
  return replay_rest(read, p, desired, Operation::compare_exchange, success, pc);
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
