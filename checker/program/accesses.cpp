// SPDX-License-Identifier: MIT
// What the instrumented code does to memory: atomic operations, fences and plain accesses.
#include <cstring>

#include "program/passing.hpp"
#include "program/regions.hpp"
#include "program/runtime.hpp"

namespace fencepost::checker {
namespace {

Value from_memory(std::uintptr_t address, unsigned size) {
  Value value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address), size);
  return value;
}

Value truncated(Value value, unsigned size) {
  return size == sizeof value ? value : value & ((Value{1} << (8 * size)) - 1);
}

constexpr std::uint64_t high(Value value) { return static_cast<std::uint64_t>(value >> 64); }

// What an access read or wrote, if it is of more than eight bytes.
Value whole(const Graph& g, EventId id) {
  const Event& e = g.at(id);
  return e.size <= 8 ? e.value : Value{g.parts(id).value_high} << 64 | e.value;
}

}  // namespace

void Runtime::pick_up_plain_writes() {
  Array<PendingWrite>& pending = pending_[current->id];
  for (const PendingWrite& w : pending) {
    Event& e = graph().at(w.event);
    const auto value = static_cast<std::uint64_t>(from_memory(w.address, e.size));
    if (w.known && e.value != value) {
      pending.clear();
      same(false, e.pc);
    }
    e.value = value;
    to_memory(w.address, e.size, value);
  }
  pending.clear();
}

void Runtime::clashes_with(const PlainAccess& earlier, std::uintptr_t address) {
  const char* end = regions::in_heap(address) ? "free" : "destroy";
  violation.other = earlier.free ? end : earlier.write ? "write" : "read";
  violation.other_before = event_id(earlier.thread, earlier.index);
  violation.other_pc = earlier.pc;
  violation.address = address;
}

void Runtime::race(const Cell* cell, const PlainAccess& access, std::uintptr_t address,
                   const char* now, std::uint64_t pc) {
  violation.highlights = 0;
  shadow.each_conflict(cell, access, clock(), [&](const PlainAccess& earlier) {
    if (earlier.free) {
      clashes_with(earlier, address);
      const bool heap = regions::in_heap(address);
      violate("memory", pc, "%s of %s that thread %u %s (address 0x%lx)", now,
              heap ? "memory" : "a static object", earlier.thread, heap ? "freed" : "destroyed",
              static_cast<unsigned long>(address));
    }
    suspect("data-race", earlier, access, false, address, pc,
            "%s races with a plain %s by thread %u (address 0x%lx, other pc 0x%lx)", now,
            earlier.write ? "write" : "read", earlier.thread, static_cast<unsigned long>(address),
            static_cast<unsigned long>(earlier.pc));
  });
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
    twins.accesses(address, size, write, pc);
  if (regions::in_heap(address)) {
    check_heap(address, "atomic access", pc);
  } else if (fresh) {
    come_first(cell, address, "atomic access", pc);
  }
  PlainAccess now{};
  now.thread = static_cast<std::uint8_t>(current->id);
  now.index = current->cursor;
  now.mask = byte_mask(address & 7, size);
  now.write = write;
  if (shadow.conflict(cell, now, clock()) != nullptr) {
    race(cell, now, address, write ? "an atomic write" : "an atomic read", pc);
  }
}

// The write of an operation goes where its read went.
void Runtime::goes_where(Event* write, const Event& read) {
  write->size = read.size;
  write->location = read.location;
  write->more = read.more;
}

void Runtime::write_value(Event* write, Value value) {
  Parts parts{};
  write->value = static_cast<std::uint64_t>(value);
  parts.value_high = high(value);
  write_event(*write, &parts);
}

// The program writes the same again, after it has passed `read` or come to write `like` it.
void Runtime::same_write(const Event& write, const Event& like, Value value, std::uint64_t pc) {
  same(write.location == like.location && write.size == like.size &&
           whole(graph(), event_id(current->id, current->cursor)) == value,
       pc);
}

Value Runtime::load(std::uintptr_t address, unsigned size, Order order, std::uint64_t pc,
                    bool may_repeat) {
  if (Event* e = replay(Kind::read, What::load, pc)) {
    same_object(*e, address, size, pc);
    same(e->order == order, pc);
    ++current->cursor;
    passed_at_once();
    return whole(graph(), last_event());
  }
  return new_load(address, size, order, pc, may_repeat);
}

Value Runtime::new_load(std::uintptr_t address, unsigned size, Order order, std::uint64_t pc,
                        bool may_repeat) {
  const std::uint64_t state = may_repeat ? private_state(pc) : 0;
  before_new_event(pc);
  if (order == Order::release || order == Order::acq_rel) {
    violate("invalid-order", pc, "a load with memory_order_%s: the standard forbids it",
            order == Order::release ? "release" : "acq_rel");
  }
  check_atomic_access(address, size, false, pc);
  if (may_repeat) cut_repetition(state, pc);
  Event e{};
  e.what = What::load;
  e.order = order;
  e.pc = pc;
  e.state = state;
  place_access(&e, address, size, pc);
  const Parts parts{};
  read_event(e, &parts);
  stack_used = kAccessUses;
  return whole(graph(), last_event());
}

void Runtime::store(std::uintptr_t address, unsigned size, Value value, Order order,
                    std::uint64_t pc) {
  value = truncated(value, size);
  if (Event* e = replay(Kind::write, What::store, pc)) {
    same_object(*e, address, size, pc);
    same(whole(graph(), event_id(current->id, current->cursor)) == value && e->order == order, pc);
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
  e.what = What::store;
  e.order = order;
  e.pc = pc;
  place_access(&e, address, size, pc);
  write_value(&e, value);
  stack_used = kAccessUses;
  to_memory(address, size, value);
}

Value Runtime::modify(What what, std::uintptr_t address, unsigned size, Value operand, Order order,
                      std::uint64_t pc) {
  operand = truncated(operand, size);
  Event e{};
  e.what = what;
  e.pc = pc;
  e.flags = kRmw;
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
    const Parts parts{};
    read_event(e, &parts);
  }
  const Value old = whole(graph(), last_event());
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
  e.what = What::nonatomic_fetch_add;
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
  if (weak && options.weak_cas && current->weak_failures_taken < 1) {
    fails = choose(What::weak_failure, 2, pc) == 1;
    if (fails) ++current->weak_failures_taken;
    fencepost_saved_registers = registers;
  }
  desired = truncated(desired, size);
  const Value wanted = from_memory(reinterpret_cast<std::uintptr_t>(expected), size);
  const auto wanted_low = static_cast<std::uint64_t>(wanted);
  Event e{};
  e.what = What::compare_exchange;
  e.pc = pc;
  Parts parts{};
  parts.operand_high = high(wanted);
  if (Event* read = replay(Kind::read, e.what, pc)) {
    same_object(*read, address, size, pc);
    same(read->operand == wanted_low && read->order_done == read_half(success) &&
             read->order_failed == read_half(failure),
         pc);
    ++current->cursor;
    if (size > 8) same(graph().parts(last_event()).operand_high == parts.operand_high, pc);
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
    e.flags = kRmw | kCompare;
    if (fails) {
      e.flags = kLocked;
      e.order = read_half(failure);
    }
    e.operand = wanted_low;
    e.order_done = read_half(success);
    e.order_failed = read_half(failure);
    place_access(&e, address, size, pc);
    read_event(e, &parts);
  }
  const Value old = whole(graph(), last_event());
  if (old != wanted || fails) {
    const auto where = reinterpret_cast<std::uintptr_t>(expected);
    const bool own = on_own_stack(*current, where) && !shadow.find(where)->visited;
    if (old != wanted && !own) current->effect();
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

void Runtime::fence(Order order, std::uint64_t pc) {
  if (order != Order::relaxed) add_fence(What::fence, order, 0, pc);
}

void Runtime::light_fence(std::uint64_t pc) {
  add_fence(What::light_fence, Order::relaxed, kLight, pc);
}

void Runtime::heavy_fence(std::uint64_t pc) {
  totals.heavy_fences = 1;
  add_fence(What::heavy_fence, Order::seq_cst, kHeavy, pc);
}

void Runtime::add_fence(What what, Order order, std::uint16_t flags, std::uint64_t pc) {
  if (const Event* e = replay(Kind::fence, what, pc)) {
    same(e->order == order, pc);
    ++current->cursor;
    return;
  }
  before_new_event(pc);
  Event e{};
  e.kind = Kind::fence;
  e.what = what;
  e.order = order;
  e.flags = flags;
  e.pc = pc;
  e.effects = current->effects;
  explorer.add_event(current->id, e);
  ++current->cursor;
}

// A plain access to bytes at which the program has atomic objects.
void Runtime::plain_meets_atomic(Cell* cell, std::uintptr_t address, unsigned mask, bool write,
                                 std::uint64_t pc) {
  Thread& t = *current;
  Graph& g = graph();
  const PlainAccess now{t.cursor, static_cast<std::uint8_t>(t.id), 0, write, false, pc};
  std::uint16_t seen = 0;
  for (unsigned b = 0; b < 8; ++b) {
    const std::uint16_t id = cell->location[b];
    if ((mask >> b & 1) == 0 || id == 0 || id == seen) continue;
    seen = id;
    Location& l = g.location(id);
    if (l.untouched()) continue;
    const Object& object = objects_[id];
    const auto clash = [&](EventId e) {
      return !Graph::includes(clock(), e) && g.hb(e)[t.id] <= t.cursor;
    };
    const auto look_at = [&](EventId e) {
      if (!clash(e)) return;
      violation.highlight[0] = e;
      violation.highlights = 1;
      suspect("data-race", as_access(e), now, true, address, pc,
              "a plain %s races with an atomic %s by thread %u (address 0x%lx)",
              write ? "write" : "read", g.at(e).kind == Kind::write ? "write" : "read", e.thread(),
              static_cast<unsigned long>(address));
    };
    for (std::uint32_t k = l.reads.size(); write && k-- > 0;) look_at(l.reads[k]);
    for (std::uint32_t k = l.writes.size(); k-- > 0;) look_at(l.writes[k]);
    if (!write) {
      EventId newest = kInitial;
      for (EventId w : l.writes) {
        if (Graph::includes(clock(), w)) newest = w;
      }
      // Before the first of them memory is right as it is: the location's initial value is what it
      // finds later, behind plain writes that may be yet to come.
      if (newest != kInitial) to_memory(object.address, object.size, g.value_of(id, newest));
      continue;
    }
    const std::uint8_t bytes = byte_mask(object.address & 7, object.size);
    if (t.cursor < g.size(t.id)) {
      const Event& next = g.at(t.id, t.cursor);
      if (next.what == What::plain_write && next.location == id && next.pc == pc) {
        t.repeat(next);
        pending_[t.id].push_back({event_id(t.id, t.cursor), object.address, true});
        ++t.cursor;
      }
      continue;  // otherwise the atomic accesses all come later
    }
    bool before = false;  // does it come after atomic accesses, or before them all?
    for (EventId e : l.writes) before = before || Graph::includes(clock(), e);
    for (EventId e : l.reads) before = before || Graph::includes(clock(), e);
    if (!before) continue;
    if ((mask & bytes) != bytes) {
      const unsigned part = mask & bytes;
      cut_memory((address & ~std::uintptr_t{7}) + static_cast<unsigned>(__builtin_ctz(part)),
                 static_cast<unsigned>(__builtin_popcount(part)), pc);
    }
    before_new_event(pc);
    Event e{};
    e.what = What::plain_write;
    e.order = Order::plain;
    e.size = object.size;
    e.location = id;
    e.pc = pc;
    write_event(e);
    pending_[t.id].push_back({last_event(), object.address, false});
  }
}

// Within one cell that has no atomic object, where nobody else's stack is and nothing races.
[[gnu::always_inline]] inline bool Runtime::pass_plain(std::uintptr_t address, std::size_t size,
                                                       bool write, std::uint64_t pc) {
  Thread& t = *current;
  const unsigned offset = address & 7;
  const bool own = on_own_stack(t, address);
  if (tracing_ || options.symmetry || offset + size > 8 || !pending_[t.id].empty() ||
      (!own && regions::in_stacks(address))) {
    return false;
  }
  bool fresh;
  Cell* cell = shadow.cell(address, &fresh);
  if (cell == nullptr) return false;
  if (fresh && !own) come_first(cell, address, write ? "write" : "read", pc);
  if (cell->has_objects()) return false;
  const PlainAccess access{
      t.cursor, static_cast<std::uint8_t>(t.id), byte_mask(offset, size), write, false, pc};
  if (shadow.record(cell, access, clock()) != nullptr) return false;
  if (!write) return true;
  if (!own || cell->visited) t.effect();
  if (own && address < t.deepest_write) t.deepest_write = address;
  return true;
}

// A word of a lock that is read by whoever uses the lock.
void Runtime::look_at(std::uintptr_t word, std::size_t size, std::uint64_t pc) {
  const Thread& t = *current;
  const unsigned offset = word & 7;
  const bool own = on_own_stack(t, word);
  if (!tracing_ && !options.symmetry && offset + size <= 8 && pending_[t.id].empty()) {
    bool fresh;
    Cell* cell = shadow.cell(word, &fresh);
    if (cell != nullptr && !cell->has_objects() &&
        (own || cell->visited || !regions::in_stacks(word))) {
      if (fresh && !own) come_first(cell, word, "read", pc);
      const PlainAccess access{
          t.cursor, static_cast<std::uint8_t>(t.id), byte_mask(offset, size), false, false, pc};
      if (shadow.record_reader(cell, access, clock())) return;
    }
  }
  plain(word, size, false, pc);
}

void Runtime::plain(std::uintptr_t address, std::size_t size, bool write, std::uint64_t pc) {
  if (!pass_plain(address, size, write, pc)) plain_and_all(address, size, write, pc);
}

void Runtime::plain_and_all(std::uintptr_t address, std::size_t size, bool write,
                            std::uint64_t pc) {
  Thread& t = *current;
  settle_plain_writes();
  if (options.symmetry) [[unlikely]]
    twins.accesses(address, size, write, pc);
  const bool own = on_own_stack(t, address);
  if (write && !own) t.effect();
  if (own && write && address < t.deepest_write) t.deepest_write = address;
  if (tracing_) {
    std::uint64_t& trace = trace_[t.id];
    // An exception, say, lies wherever the library's own heap has room.
    const std::uintptr_t where = is_program_memory(address) ? address : 0;
    trace =
        (trace ^ where ^ pc << 20 ^ size << 52 ^ std::uint64_t{write} << 63) * 0x9E3779B97F4A7C15;
  }
  while (size != 0) {
    const unsigned offset = address & 7;
    const std::size_t bytes = size < 8 - offset ? size : 8 - offset;
    const std::uint8_t mask = byte_mask(offset, bytes);
    bool fresh;
    Cell* cell = shadow.cell(address, &fresh);
    if (cell == nullptr) return;
    if (fresh) come_first(cell, address, write ? "write" : "read", pc);
    if (!own && regions::in_stacks(address)) visit_stack(cell, address, mask, write, pc);
    if (own && write && cell->visited) t.effect();
    if (cell->has_objects()) plain_meets_atomic(cell, address, mask, write, pc);
    const PlainAccess access{t.cursor, static_cast<std::uint8_t>(t.id), mask, write, false, pc};
    if (shadow.record(cell, access, clock()) != nullptr) {
      race(cell, access, address, write ? "a plain write" : "a plain read", pc);
      shadow.keep(cell, access, clock());
    }
    address += bytes;
    size -= bytes;
  }
}

}  // namespace fencepost::checker
