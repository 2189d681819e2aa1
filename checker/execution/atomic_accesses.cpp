// SPDX-License-Identifier: MIT
// Atomic operations.
#include <cstring>

#include "execution/replay.hpp"
#include "execution/runtime.hpp"
#include "loops/loops.hpp"
#include "loops/rounds.hpp"
#include "loops/spins.hpp"
#include "loops/turns.hpp"
#include "memory/allocations.hpp"
#include "memory/lifetimes.hpp"
#include "memory/regions.hpp"
#include "memory/reuse.hpp"
#include "memory/stack/own_stack.hpp"
#include "memory/stack/scopes.hpp"
#include "memory/stack/stacks.hpp"

namespace fencepost::checker {

// What an access read or wrote, be it of more than eight bytes.
Value Runtime::whole(EventId id) {
  const Event& e = graph().at(id);
  return e.size <= 8 ? e.value : Value{graph().mixed_size(id).value_high} << 64 | e.value;
}

void Runtime::check_atomic_access(std::uintptr_t address, unsigned size, bool write,
                                  std::uint64_t pc) {
  if (size > 8) {
    check_atomic_access(address + 8, size - 8, write, pc);
    size = 8;
  }
  bool fresh;
  Cell* cell = shadow.cell(address, &fresh);
  if (cell == nullptr) return;
  if (options.symmetry) [[unlikely]]
    symmetry.accesses(address, size, write, pc);
  const char* const what = write ? "an atomic write" : "an atomic read";
  if (regions::in_heap(address)) {
    const Heap::Block& block = check_heap(address, "atomic access", pc);
    must_know_allocation(block, address, write, what, pc);
    if (fresh) {
      keep_outside(cell, address, block);
      if (!block.startup) cell->unwritten = bytes_in(address, block.address, block.size);
    }
  } else if (fresh) {
    come_first(cell, address, "atomic access", pc);
    // variables_end() looks from there on.
    if (on_own_stack(*current, address) && address < current->deepest_stack) {
      current->deepest_stack = address & ~std::uintptr_t{7};
    }
  }
  if (regions::in_threads(address)) {
    must_be_in_scope(address, what, pc);
  }
  const auto now =
      PlainAccess::of(current->cursor, current->id, byte_mask(address & 7, size), write, 0);
  if (options.coverage) [[unlikely]]
    cover(cell, now);
  if (shadow.conflict(cell, now, clock()) != nullptr) {
    race(cell, now, address, what, pc);
  }
}

// The write of an operation goes where its read went.
void Runtime::goes_where(Event* write, const Event& read) {
  write->size = read.size;
  write->location = read.location;
  write->more = read.more;
}

void Runtime::write_value(Event* write, Value value) {
  MixedSize mixed{};
  write->value = static_cast<std::uint64_t>(value);
  mixed.value_high = high(value);
  write_event(*write, &mixed);
}

// The program writes the same again, after it has passed `read` or come to write `like` it.
void Runtime::same_write(const Event& write, const Event& like, Value value, std::uint64_t pc) {
  same(write.location == like.location && write.size == like.size &&
           whole(event_id(current->id, current->cursor)) == value,
       pc);
}

Value Runtime::load(std::uintptr_t address, unsigned size, Order order, std::uint64_t pc,
                    bool may_repeat) {
  if (may_repeat) {
    Value value;
    if (has_turned() && pass_turn(address, size, order, pc, &value)) return value;
    if (is_in_spin() && pass_silently(address, size, pc, &value)) return value;
    loop_rounds.pass(pc);
  }
  if (Event* e = replay(Kind::read, Operation::load, pc)) {
    same_object(*e, address, size, pc);
    same(e->order == order, pc);
    ++current->cursor;
    passed_at_once();
    return whole(last_event());
  }
  return new_load(address, size, order, pc, may_repeat);
}

Value Runtime::new_load(std::uintptr_t address, unsigned size, Order order, std::uint64_t pc,
                        bool may_repeat) {
  SpinArrival arrival{pc, address, size, 0, 0, 0, {}};
  const bool may_spin = may_repeat && options.bounded_spins && size <= 8;
  if (may_spin) {
    take_arrival(&arrival);
  } else if (may_repeat) {
    arrival.whole = private_state(pc);
    if (suggests_bounded_spins) look_for_spin(address, size, pc);
  }
  before_new_event(pc);
  if (order == Order::release || order == Order::acq_rel) {
    violate("invalid-order", pc, "a load with memory_order_%s: the standard forbids it",
            order == Order::release ? "release" : "acq_rel");
  }
  check_atomic_access(address, size, false, pc);
  if (may_repeat) cut_repetition(arrival.whole, pc);
  if (may_spin && begins_silence(arrival)) {
    const Event& last = graph().at(last_event());
    return last.kind == Kind::read ? last.value
                                   : graph().at(current->id, current->cursor - 2).value;
  }
  Event e{};
  e.operand = arrival.state;
  e.what = Operation::load;
  e.order = order;
  e.pc = pc;
  e.state = arrival.whole;
  place_access(&e, address, size, pc);
  const MixedSize mixed{};
  read_event(e, &mixed);
  stack_used = kAccessUses;
  return whole(last_event());
}

void Runtime::store(std::uintptr_t address, unsigned size, Value value, Order order,
                    std::uint64_t pc) {
  value = truncated(value, size);
  if (Event* e = replay(Kind::write, Operation::store, pc)) {
    same_object(*e, address, size, pc);
    same(whole(event_id(current->id, current->cursor)) == value && e->order == order, pc);
    current->repeat(*e);
    ++current->cursor;
    to_memory(address, size, value);
    passed_at_once();
    return;
  }
  new_store(address, size, value, order, pc);
}

void Runtime::new_store(std::uintptr_t address, unsigned size, Value value, Order order,
                        std::uint64_t pc) {
  before_new_event(pc);
  if (order == Order::acquire || order == Order::acq_rel) {
    violate("invalid-order", pc, "a store with memory_order_%s: the standard forbids it",
            order == Order::acquire ? "acquire" : "acq_rel");
  }
  check_atomic_access(address, size, true, pc);
  Event e{};
  e.what = Operation::store;
  e.order = order;
  e.pc = pc;
  place_access(&e, address, size, pc);
  write_value(&e, value);
  stack_used = kAccessUses;
  to_memory(address, size, value);
}

Value Runtime::modify(Operation what, std::uintptr_t address, unsigned size, Value operand,
                      Order order, std::uint64_t pc) {
  operand = truncated(operand, size);
  Event e{};
  e.what = what;
  e.pc = pc;
  e.flags = kRmw;
  loop_rounds.pass(pc);
  if (Event* read = replay(Kind::read, what, pc)) {
    same_object(*read, address, size, pc);
    same(read->order == read_half(order), pc);
    ++current->cursor;
    goes_where(&e, *read);
  } else {
    e.state = private_state(pc);
    before_new_event(pc);
    check_atomic_access(address, size, true, pc);
    cut_repetition(e.state, pc);
    e.order = read_half(order);
    place_access(&e, address, size, pc);
    const MixedSize mixed{};
    read_event(e, &mixed);
  }
  const Value old = whole(last_event());
  const Value value = truncated(result_of(what, old, operand), size);
  if (Event* write = replay(Kind::write, what, pc)) {
    same_write(*write, e, value, pc);
    current->repeat(*write);
    ++current->cursor;
  } else {
    before_new_event(pc);
    e.order = write_half(order);
    e.rmw_read = static_cast<std::uint16_t>(current->cursor - 1);
    if (value == old) e.flags |= kSilent;
    write_value(&e, value);
  }
  to_memory(address, size, value);
  return old;
}

std::uint64_t Runtime::nonatomic_fetch_add(std::uintptr_t address, unsigned size,
                                           std::uint64_t operand, std::uint64_t pc) {
  Event e{};
  e.what = Operation::nonatomic_fetch_add;
  e.pc = pc;
  e.flags = kNonatomic;
  if (Event* read = replay(Kind::read, e.what, pc)) {
    same_object(*read, address, size, pc);
    ++current->cursor;
    goes_where(&e, *read);
  } else {
    before_new_event(pc);
    check_atomic_access(address, size, true, pc);
    e.order = Order::acquire;
    place_access(&e, address, size, pc);
    if (e.more != 0) {
      unsupported(pc, "a non-atomic addition to bytes that are accessed in other sizes too");
    }
    read_event(e);
  }
  const std::uint64_t old = graph().at(last_event()).value;
  const auto value = static_cast<std::uint64_t>(truncated(old + operand, size));
  if (Event* write = replay(Kind::write, e.what, pc)) {
    same_write(*write, e, value, pc);
    current->repeat(*write);
    ++current->cursor;
  } else {
    before_new_event(pc);
    e.order = Order::release;
    e.value = value;
    write_event(e);
  }
  to_memory(address, size, value);
  return old;
}

bool Runtime::compare_exchange(std::uintptr_t address, unsigned size, void* expected, Value desired,
                               Order success, Order failure, bool weak, std::uint64_t pc) {
  const SavedRegisters registers = fencepost_saved_registers;
  bool fails = false;
  if (weak) counters.weak_exchanges = 1;
  if (weak && current->weak_failures_taken < options.weak_cas) {
    fails = choose(Operation::weak_failure, 2, pc) == 1;
    if (fails) ++current->weak_failures_taken;
    fencepost_saved_registers = registers;
  }
  desired = truncated(desired, size);
  const Value wanted = from_memory(reinterpret_cast<std::uintptr_t>(expected), size);
  const auto wanted_low = static_cast<std::uint64_t>(wanted);
  Event e{};
  e.what = Operation::compare_exchange;
  e.pc = pc;
  MixedSize mixed{};
  mixed.operand_high = high(wanted);
  loop_rounds.pass(pc);
  if (Event* read = replay(Kind::read, e.what, pc)) {
    same_object(*read, address, size, pc);
    same(read->operand == wanted_low && read->order_done == read_half(success) &&
             read->order_failed == read_half(failure),
         pc);
    ++current->cursor;
    if (size > 8) same(graph().mixed_size(last_event()).operand_high == mixed.operand_high, pc);
    goes_where(&e, *read);
  } else {
    e.state = private_state(pc);
    before_new_event(pc);
    if (failure == Order::release || failure == Order::acq_rel) {
      violate("invalid-order", pc,
              "a compare-exchange with memory_order_%s for failure: the standard forbids it",
              failure == Order::release ? "release" : "acq_rel");
    }
    check_atomic_access(address, size, true, pc);
    cut_repetition(e.state, pc);
    if (size >= 8) freed_memory.is_compared(wanted_low);
    if (size > 8) freed_memory.is_compared(mixed.operand_high);
    e.flags = kRmw | kCompare;
    if (fails) {
      e.flags = kLocked;
      e.order = read_half(failure);
    }
    e.operand = wanted_low;
    e.order_done = read_half(success);
    e.order_failed = read_half(failure);
    place_access(&e, address, size, pc);
    read_event(e, &mixed);
  }
  const Value old = whole(last_event());
  if (old != wanted || fails) {
    if (fails) current->effect();  // the next try is another one, it does not fail for nothing
    std::memcpy(expected, &old, size);
    return false;
  }
  if (Event* write = replay(Kind::write, e.what, pc)) {
    same_write(*write, e, desired, pc);
    current->repeat(*write);
    ++current->cursor;
  } else {
    before_new_event(pc);
    e.flags = kRmw;
    e.order = write_half(success);
    e.rmw_read = static_cast<std::uint16_t>(current->cursor - 1);
    if (desired == old) e.flags |= kSilent;
    write_value(&e, desired);
  }
  to_memory(address, size, desired);
  return true;
}

}  // namespace fencepost::checker
