// SPDX-License-Identifier: MIT
// Atomic operations.
#include "execution/accesses/atomic_accesses.hpp"

#include <cstring>

#include "execution/accesses/plain_accesses.hpp"
#include "execution/accesses/races.hpp"
#include "execution/accesses/replay.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/allocations.hpp"
#include "execution/lifetimes/lifetimes.hpp"
#include "execution/lifetimes/reuse.hpp"
#include "execution/lifetimes/stack/own_stack.hpp"
#include "execution/lifetimes/stack/scopes.hpp"
#include "execution/lifetimes/stack/stacks.hpp"
#include "execution/loops/loops.hpp"
#include "execution/loops/rounds.hpp"
#include "execution/loops/spins.hpp"
#include "execution/loops/turns.hpp"
#include "execution/objects.hpp"
#include "memory/hash.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {
namespace {

void passed_at_once() {
  if (execution.stack_used == kReplayUses) execution.stack_used = kPassingUses;
}

// The write of an operation goes where its read went.
void goes_where(Event* write, const Event& read) {
  write->size = read.size;
  write->location = read.location;
  write->more = read.more;
}

void write_value(Event* write, Value value) {
  MixedSize mixed{};
  write->value = static_cast<std::uint64_t>(value);
  mixed.value_high = high(value);
  execution.write_event(*write, &mixed);
}

// Has this read found some bytes that were stored together with others? Then whoever reads those
// others, too, can tell whether they have been stored again, be it as they were. (Not where
// accesses take effect at once: docs/checker/models.md.)
bool is_first_apart(EventId read) {
  const Graph& g = execution.graph();
  const Model* const model = execution.options.model;
  if (!g.may_have_mixed_sizes() || model == &kSequentialConsistency || model == &kX86) return false;
  const Event& e = g.at(read);
  bool apart = false;
  g.each_source(read, [&](EventId w) {
    const Event& s = g.at(w);
    apart = apart || s.location < e.location || s.location + s.more > e.location + e.more;
  });
  return apart;
}

// The program writes the same again, after it has passed `read` or come to write `like` it.
void same_write(const Event& write, const Event& like, Value value, std::uint64_t pc) {
  execution.same(
      write.location == like.location && write.size == like.size &&
          whole_value(event_id(execution.current->id, execution.current->cursor)) == value,
      pc);
}

[[gnu::noinline]] Value new_load(std::uintptr_t address, unsigned size, Order order,
                                 std::uint64_t pc, bool may_repeat) {
  SpinArrival arrival{pc, address, size, 0, 0, 0, {}};
  const bool may_spin = may_repeat && execution.options.bounded_spins && size <= 8;
  if (may_spin) {
    take_arrival(&arrival);
  } else if (may_repeat) {
    arrival.whole = private_state(pc, address);
    if (suggests_bounded_spins) look_for_spin(address, size, pc);
  }
  execution.before_new_event(pc);
  if (order == Order::release || order == Order::acq_rel) {
    execution.violate("invalid-order", pc, "a load with memory_order_%s: the standard forbids it",
                      order == Order::release ? "release" : "acq_rel");
  }
  check_atomic_access(address, size, false, pc);
  if (may_repeat) cut_repetition(arrival.whole, pc);
  if (may_spin && begins_silence(arrival)) {
    const Event& last = execution.graph().at(execution.last_event());
    return last.kind == Kind::read
               ? last.value
               : execution.graph().at(execution.current->id, execution.current->cursor - 2).value;
  }
  Event e{};
  e.operand = arrival.state;
  e.what = Operation::load;
  e.order = order;
  e.pc = pc;
  e.state = arrival.whole;
  objects.place_access(&e, address, size, pc);
  const MixedSize mixed{};
  execution.read_event(e, &mixed);
  execution.stack_used = kAccessUses;
  return whole_value(execution.last_event());
}

[[gnu::noinline]] void new_store(std::uintptr_t address, unsigned size, Value value, Order order,
                                 std::uint64_t pc) {
  execution.before_new_event(pc);
  if (order == Order::acquire || order == Order::acq_rel) {
    execution.violate("invalid-order", pc, "a store with memory_order_%s: the standard forbids it",
                      order == Order::acquire ? "acquire" : "acq_rel");
  }
  check_atomic_access(address, size, true, pc);
  Event e{};
  e.what = Operation::store;
  e.order = order;
  e.pc = pc;
  objects.place_access(&e, address, size, pc);
  write_value(&e, value);
  execution.stack_used = kAccessUses;
  to_memory(address, size, value);
}

}  // namespace

// What an access read or wrote, be it of more than eight bytes.
Value whole_value(EventId id) {
  const Event& e = execution.graph().at(id);
  return e.size <= 8 ? e.value : Value{execution.graph().mixed_size(id).value_high} << 64 | e.value;
}

void check_atomic_access(std::uintptr_t address, unsigned size, bool write, std::uint64_t pc) {
  if (size > 8) {
    check_atomic_access(address + 8, size - 8, write, pc);
    size = 8;
  }
  bool fresh;
  Cell* cell = execution.shadow.cell(address, &fresh);
  if (cell == nullptr) return;
  if (execution.options.symmetry) [[unlikely]]
    execution.symmetry.accesses(address, size, write, pc);
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
    if (on_own_stack(*execution.current, address) && address < execution.current->deepest_stack) {
      execution.current->deepest_stack = address & ~std::uintptr_t{7};
    }
  }
  if (regions::in_threads(address)) {
    must_be_in_scope(address, what, pc);
  }
  const auto now = PlainAccess::of(execution.current->cursor, execution.current->id,
                                   byte_mask(address & 7, size), write, 0);
  if (execution.options.coverage) [[unlikely]]
    note_coverage(cell, now);
  if (execution.shadow.conflict(cell, now, execution.clock()) != nullptr) {
    race(cell, now, address, what, pc);
  }
}

Value atomic_load(std::uintptr_t address, unsigned size, Order order, std::uint64_t pc,
                  bool may_repeat) {
  if (may_repeat) {
    Value value;
    if (has_turned() && pass_turn(address, size, order, pc, &value)) return value;
    if (is_in_spin() && pass_silently(address, size, pc, &value)) return value;
    loop_rounds.pass(pc);
  }
  if (Event* e = execution.replay(Kind::read, Operation::load, pc)) {
    objects.same_object(*e, address, size, pc);
    execution.same(e->order == order, pc);
    ++execution.current->cursor;
    passed_at_once();
    return whole_value(execution.last_event());
  }
  return new_load(address, size, order, pc, may_repeat);
}

void atomic_store(std::uintptr_t address, unsigned size, Value value, Order order,
                  std::uint64_t pc) {
  value = truncated(value, size);
  if (Event* e = execution.replay(Kind::write, Operation::store, pc)) {
    objects.same_object(*e, address, size, pc);
    execution.same(
        whole_value(event_id(execution.current->id, execution.current->cursor)) == value &&
            e->order == order,
        pc);
    execution.current->repeat(*e);
    ++execution.current->cursor;
    to_memory(address, size, value);
    passed_at_once();
    return;
  }
  new_store(address, size, value, order, pc);
}

Value atomic_modify(Operation what, std::uintptr_t address, unsigned size, Value operand,
                    Order order, std::uint64_t pc) {
  operand = truncated(operand, size);
  Event e{};
  e.what = what;
  e.pc = pc;
  e.flags = kRmw;
  const std::uint64_t asked = mix(address, mix(static_cast<std::uint64_t>(operand), high(operand)));
  loop_rounds.pass(pc);
  if (Event* read = execution.replay(Kind::read, what, pc)) {
    objects.same_object(*read, address, size, pc);
    execution.same(read->order == read_half(order), pc);
    ++execution.current->cursor;
    goes_where(&e, *read);
  } else {
    e.state = private_state(pc, asked);
    execution.before_new_event(pc);
    check_atomic_access(address, size, true, pc);
    cut_repetition(e.state, pc);
    e.order = read_half(order);
    objects.place_access(&e, address, size, pc);
    const MixedSize mixed{};
    execution.read_event(e, &mixed);
  }
  const Value old = whole_value(execution.last_event());
  const Value value = truncated(result_of(what, old, operand), size);
  if (Event* write = execution.replay(Kind::write, what, pc)) {
    same_write(*write, e, value, pc);
    execution.current->repeat(*write);
    ++execution.current->cursor;
  } else {
    execution.before_new_event(pc);
    check_atomic_access(address, size, true, pc);
    e.order = write_half(order);
    e.rmw_read = static_cast<std::uint16_t>(execution.current->cursor - 1);
    if (value == old && !is_first_apart(execution.last_event())) e.flags |= kSilent;
    write_value(&e, value);
  }
  to_memory(address, size, value);
  return old;
}

std::uint64_t fetch_add_nonatomic(std::uintptr_t address, unsigned size, std::uint64_t operand,
                                  std::uint64_t pc) {
  Event e{};
  e.what = Operation::nonatomic_fetch_add;
  e.pc = pc;
  e.flags = kNonatomic;
  if (Event* read = execution.replay(Kind::read, e.what, pc)) {
    objects.same_object(*read, address, size, pc);
    ++execution.current->cursor;
    goes_where(&e, *read);
  } else {
    execution.before_new_event(pc);
    check_atomic_access(address, size, true, pc);
    e.order = Order::acquire;
    objects.place_access(&e, address, size, pc);
    if (e.more != 0) {
      execution.unsupported(pc,
                            "a non-atomic addition to bytes that are accessed in other sizes too");
    }
    execution.read_event(e);
  }
  const std::uint64_t old = execution.graph().at(execution.last_event()).value;
  const auto value = static_cast<std::uint64_t>(truncated(old + operand, size));
  if (Event* write = execution.replay(Kind::write, e.what, pc)) {
    same_write(*write, e, value, pc);
    execution.current->repeat(*write);
    ++execution.current->cursor;
  } else {
    execution.before_new_event(pc);
    check_atomic_access(address, size, true, pc);
    e.order = Order::release;
    e.value = value;
    execution.write_event(e);
  }
  to_memory(address, size, value);
  return old;
}

bool atomic_compare_exchange(std::uintptr_t address, unsigned size, void* expected, Value desired,
                             Order success, Order failure, bool weak, std::uint64_t pc) {
  const SavedRegisters registers = fencepost_saved_registers;
  bool fails = false;
  if (weak) execution.counters.weak_exchanges = 1;
  if (weak && execution.current->weak_failures_taken < execution.options.weak_cas) {
    fails = execution.choose(Operation::weak_failure, 2, pc) == 1;
    if (fails) ++execution.current->weak_failures_taken;
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
  const std::uint64_t asked = mix(mix(address, mix(wanted_low, mixed.operand_high)),
                                  mix(static_cast<std::uint64_t>(desired), high(desired)));
  loop_rounds.pass(pc);
  if (Event* read = execution.replay(Kind::read, e.what, pc)) {
    objects.same_object(*read, address, size, pc);
    execution.same(read->operand == wanted_low && read->order_done == read_half(success) &&
                       read->order_failed == read_half(failure),
                   pc);
    ++execution.current->cursor;
    if (size > 8)
      execution.same(
          execution.graph().mixed_size(execution.last_event()).operand_high == mixed.operand_high,
          pc);
    goes_where(&e, *read);
  } else {
    e.state = private_state(pc, asked);
    execution.before_new_event(pc);
    if (failure == Order::release || failure == Order::acq_rel) {
      execution.violate(
          "invalid-order", pc,
          "a compare-exchange with memory_order_%s for failure: the standard forbids it",
          failure == Order::release ? "release" : "acq_rel");
    }
    check_atomic_access(address, size, false, pc);
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
    objects.place_access(&e, address, size, pc);
    execution.read_event(e, &mixed);
  }
  const Value old = whole_value(execution.last_event());
  if (old != wanted || fails) {
    if (fails)
      execution.current->effect();  // the next try is another one, it does not fail for nothing
    std::memcpy(expected, &old, size);
    return false;
  }
  if (Event* write = execution.replay(Kind::write, e.what, pc)) {
    same_write(*write, e, desired, pc);
    execution.current->repeat(*write);
    ++execution.current->cursor;
  } else {
    execution.before_new_event(pc);
    check_atomic_access(address, size, true, pc);
    e.flags = kRmw;
    e.order = write_half(success);
    e.rmw_read = static_cast<std::uint16_t>(execution.current->cursor - 1);
    if (desired == old && !is_first_apart(execution.last_event())) e.flags |= kSilent;
    write_value(&e, desired);
  }
  to_memory(address, size, desired);
  return true;
}

}  // namespace fencepost::checker
