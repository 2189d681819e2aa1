// SPDX-License-Identifier: MIT
// Plain accesses, and where they meet atomic objects.
#include "execution/accesses/plain_accesses.hpp"

#include <cstring>

#include "execution/accesses/coverage.hpp"
#include "execution/accesses/races.hpp"
#include "execution/deferred_violations.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/allocations.hpp"
#include "execution/lifetimes/lifetimes.hpp"
#include "execution/lifetimes/mapped.hpp"
#include "execution/lifetimes/stack/own_stack.hpp"
#include "execution/lifetimes/stack/scopes.hpp"
#include "execution/lifetimes/stack/stacks.hpp"
#include "execution/lifetimes/uninitialised.hpp"
#include "execution/objects.hpp"
#include "graph/state_section.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {
namespace {

void expect_plain_write(const PendingWrite& write) {
  plain_accesses.pending[execution.current->id].push_back(write);
  execution.current->has_pending = true;
}

// A plain access to bytes at which the program has atomic objects.
void plain_meets_atomic(Cell* cell, std::uintptr_t address, unsigned mask, bool write,
                        std::uint64_t pc) {
  Thread& t = *execution.current;
  Graph& g = execution.graph();
  const auto now = PlainAccess::of(t.cursor, t.id, 0, write, pc);
  std::uint16_t seen = 0;
  for (unsigned b = 0; b < 8; ++b) {
    const std::uint16_t id = cell->location[b];
    if ((mask >> b & 1) == 0 || id == 0 || id == seen) continue;
    seen = id;
    Location& l = g.location(id);
    if (l.untouched()) continue;
    const Object& object = objects[id];
    const auto clash = [&](EventId e) {
      return !Graph::includes(execution.clock(), e) && g.hb(e)[t.id] <= t.cursor;
    };
    const auto look_at = [&](EventId e) {
      if (!clash(e)) return;
      execution.violation.highlight[0] = e;
      execution.violation.highlights = 1;
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
        if (Graph::includes(execution.clock(), w)) newest = w;
      }
      // Before the first of them memory is right as it is: the location's initial value is what it
      // finds later, behind plain writes that may be yet to come.
      if (newest != kInitial) to_memory(object.address, object.size, g.value_of(id, newest));
      continue;
    }
    const std::uint8_t bytes = byte_mask(object.address & 7, object.size);
    if (t.cursor < g.size(t.id)) {
      const Event& next = g.at(t.id, t.cursor);
      if (next.what == Operation::plain_write && next.location == id && next.pc == pc) {
        t.repeat(next);
        expect_plain_write({event_id(t.id, t.cursor), object.address, true});
        ++t.cursor;
      }
      continue;  // otherwise the atomic accesses all come later
    }
    bool before = false;  // does it come after atomic accesses, or before them all?
    for (EventId e : l.writes) before = before || Graph::includes(execution.clock(), e);
    for (EventId e : l.reads) before = before || Graph::includes(execution.clock(), e);
    if (!before) continue;
    if ((mask & bytes) != bytes) {
      const unsigned part = mask & bytes;
      objects.cut_memory(
          (address & ~std::uintptr_t{7}) + static_cast<unsigned>(__builtin_ctz(part)),
          static_cast<unsigned>(__builtin_popcount(part)), pc);
    }
    execution.before_new_event(pc);
    Event e{};
    e.what = Operation::plain_write;
    e.order = Order::plain;
    e.size = object.size;
    e.location = id;
    e.pc = pc;
    execution.write_event(e);
    expect_plain_write({execution.last_event(), object.address, false});
  }
}

// What it writes to its own stack is its own as long as nobody else has been there.
inline void note_write(Thread& t, const Cell* cell, bool own, std::uintptr_t address,
                       std::uint8_t mask, std::uint64_t pc) {
  if (!own || cell->visited) t.writes_plainly(address & ~std::uintptr_t{7}, mask, pc);
}

// Within one cell that has no atomic object, where nobody else's stack is and nothing races.
template <bool Covers>
[[gnu::always_inline]] inline bool replay_plain(std::uintptr_t address, std::size_t size,
                                                bool write, std::uint64_t pc) {
  Thread& t = *execution.current;
  const unsigned offset = address & 7;
  if ((Covers ? plain_accesses.looks_closely : !plain_accesses.passes) || offset + size > 8 ||
      t.has_pending) {
    return false;
  }
  const bool own = regions::in_stacks(address);
  if (regions::in_threads(address) && regions::thread_of(address) != t.id) return false;
  bool fresh;
  Cell* cell = execution.shadow.cell(address, &fresh);
  if (cell == nullptr) return false;
  if (fresh && !own) come_first(cell, address, write ? "write" : "read", pc);
  if (cell->has_objects()) return false;
  t.uses_memory();
  const auto access = PlainAccess::of(t.cursor, t.id, byte_mask(offset, size), write, pc);
  if (Covers && !Coverage::is_private(cell, access)) note_coverage(cell, access);
  if (execution.shadow.record(cell, access, [&] { return execution.clock(); }) != nullptr)
    return false;
  if ((cell->unwritten & access.mask()) != 0) [[unlikely]] {
    if (write && regions::thread_of_heap(address) == t.id) {
      cell->unwritten &= static_cast<std::uint8_t>(~access.mask());
    } else {
      come_to_unwritten(cell, address, access.mask(), write, pc);
    }
  }
  if (!write) return true;
  note_write(t, cell, own, address, byte_mask(offset, size), pc);
  if (own && address < t.deepest_write) t.deepest_write = address;
  return true;
}

// ... for the first time in this execution, or on a stack, or after somebody has written it.
[[gnu::noinline]] void look_at_first(std::uintptr_t word, std::size_t size, std::uint64_t pc) {
  Thread& t = *execution.current;
  t.uses_memory();
  const unsigned offset = word & 7;
  if (!plain_accesses.looks_closely && offset + size <= 8 && !t.has_pending) {
    const bool on_stack = regions::in_stacks(word);
    const bool own = on_stack && on_own_stack(t, word);
    bool fresh;
    Cell* cell = execution.shadow.cell(word, &fresh);
    if (cell != nullptr && !cell->has_objects() && (own || cell->visited || !on_stack)) {
      if (regions::in_threads(word)) must_be_in_scope(word, "a plain read", pc);
      if (fresh && !own) come_first(cell, word, "read", pc);
      const auto access = PlainAccess::of(t.cursor, t.id, byte_mask(offset, size), false, pc);
      if ((cell->unwritten & access.mask()) == 0 &&
          execution.shadow.record_reader(cell, access, execution.clock()))
        return;
    }
  }
  plain_access(word, size, false, pc);
}

bool replay_covered(std::uintptr_t address, std::size_t size, bool write, std::uint64_t pc) {
  return replay_plain<true>(address, size, write, pc);
}

// The cell in which a plain access is noted. There is none for what is not watched.
inline Cell* plain_cell(std::uintptr_t address, std::uint8_t mask, bool write, bool own,
                        std::uint64_t pc) {
  bool fresh;
  Cell* cell = execution.shadow.cell(address, &fresh);
  if (cell == nullptr) return nullptr;
  if (fresh) come_first(cell, address, write ? "write" : "read", pc);
  if (!own && regions::in_threads(address)) {
    must_be_in_scope(address, write ? "a plain write" : "a plain read", pc);
    visit_stack(cell, address, mask, write, pc);
  }
  return cell;
}

// Calls `found(cell, address, mask)` for the bytes in each cell of what must not have ended.
template <typename Found>
void each_cell_alive(std::uintptr_t address, std::size_t size, const char* what, std::uint64_t pc,
                     Found found) {
  Thread& t = *execution.current;
  t.uses_memory();
  const bool own = on_own_stack(t, address);
  while (size != 0) {
    const unsigned offset = address & 7;
    const std::size_t bytes = size < 8 - offset ? size : 8 - offset;
    const std::uint8_t mask = byte_mask(offset, bytes);
    Cell* cell = plain_cell(address, mask, false, own, pc);
    if (cell == nullptr) return;
    const auto access = PlainAccess::of(t.cursor, t.id, mask, false, pc);
    execution.shadow.each_conflict(cell, access, execution.clock(),
                                   [&](const PlainAccess& earlier) {
                                     if (earlier.free())
                                       comes_too_late(earlier, access, address, what, pc);
                                     if (earlier.ends_object())
                                       race(cell, access, address, what, pc);
                                   });
    found(cell, address, mask);
    address += bytes;
    size -= bytes;
  }
}

[[gnu::noinline]] void plain_and_all(std::uintptr_t address, std::size_t size, bool write,
                                     std::uint64_t pc) {
  if (execution.options.coverage && replay_covered(address, size, write, pc)) return;
  Thread& t = *execution.current;
  settle_plain_writes();
  t.uses_memory();
  if (plain_accesses.is_to_step_aside) [[unlikely]]
    step_aside_if_asked();
  if (execution.options.symmetry) [[unlikely]]
    execution.symmetry.accesses(address, size, write, pc);
  const bool own = on_own_stack(t, address);
  if (own && write && address < t.deepest_write) t.deepest_write = address;
  // What is not the program's lies wherever a library has room (an exception), or is kept by it
  // from one execution to the next: the characters that a locale has looked up once.
  if (plain_accesses.tracing && execution.is_program_memory(address)) {
    std::uint64_t& trace = plain_accesses.trace[t.id];
    trace =
        (trace ^ address ^ pc << 20 ^ size << 52 ^ std::uint64_t{write} << 63) * 0x9E3779B97F4A7C15;
  }
  while (size != 0) {
    const unsigned offset = address & 7;
    const std::size_t bytes = size < 8 - offset ? size : 8 - offset;
    const std::uint8_t mask = byte_mask(offset, bytes);
    Cell* cell = plain_cell(address, mask, write, own, pc);
    if (cell == nullptr) {
      must_exist(address, write ? "a plain write" : "a plain read", pc);
      if (write) t.effect();
      return;
    }
    if (write) note_write(t, cell, own, address, mask, pc);
    if (cell->has_objects()) plain_meets_atomic(cell, address, mask, write, pc);
    const auto access = PlainAccess::of(t.cursor, t.id, mask, write, pc);
    if (execution.options.coverage) [[unlikely]]
      note_coverage(cell, access);
    if (execution.shadow.record(cell, access, [&] { return execution.clock(); }) != nullptr) {
      race(cell, access, address, write ? "a plain write" : "a plain read", pc);
      execution.shadow.keep(cell, access, execution.clock());
    }
    if ((cell->unwritten & mask) != 0) come_to_unwritten(cell, address, mask, write, pc);
    address += bytes;
    size -= bytes;
  }
}

}  // namespace

FENCEPOST_CHECKER_STATE constinit PlainAccesses plain_accesses;

void PlainAccesses::new_execution(bool traces) {
  tracing = traces;
  if (tracing) std::memset(trace, 0, sizeof trace);
  looks_closely = tracing || execution.options.symmetry;
  passes = !looks_closely && !execution.options.coverage;
  is_to_step_aside = false;
}

void ask_to_step_aside() {
  plain_accesses.is_to_step_aside = true;
  plain_accesses.looks_closely = true;
  plain_accesses.passes = false;
}

void step_aside_if_asked() {
  if (!plain_accesses.is_to_step_aside) return;
  plain_accesses.is_to_step_aside = false;
  execution.step_aside();
}

void pick_up_plain_writes() {
  Array<PendingWrite>& pending = plain_accesses.pending[execution.current->id];
  execution.current->has_pending = false;
  for (const PendingWrite& w : pending) {
    Event& e = execution.graph().at(w.event);
    const auto value = static_cast<std::uint64_t>(from_memory(w.address, e.size));
    if (w.known && e.value != value) {
      if (!uninitialised.is_other_first_value(w, value)) {
        pending.clear();
        execution.same(false, e.pc);
      }
      uninitialised.first_values.push_back({w.event, e.value});
    }
    e.value = value;
    to_memory(w.address, e.size, value);
  }
  pending.clear();
}

void note_coverage(Cell* cell, const PlainAccess& access) {
  if (Coverage::is_private(cell, access)) return;
  if (!access.write() && coverage.is_overwritten(access.pc)) return;
  bool others = false;
  for (unsigned i = 0; i < execution.thread_count; ++i) {
    const ThreadState state = execution.threads[i].state;
    others |= i != execution.current->id && state != ThreadState::absent &&
              state != ThreadState::finished;
  }
  coverage.note_plain(cell, access, execution.graph(), others);
}

// A word of a lock that is read by whoever uses the lock, and by nobody in another way.
void look_at_word(std::uintptr_t word, std::size_t size, std::uint64_t pc) {
  Thread& t = *execution.current;
  t.uses_memory();
  const unsigned offset = word & 7;
  if (!plain_accesses.looks_closely && offset + size <= 8 && !t.has_pending &&
      !regions::in_threads(word)) {
    const auto access = PlainAccess::of(t.cursor, t.id, byte_mask(offset, size), false, pc);
    if (execution.shadow.record_next_reader(word, access)) return;
  }
  look_at_first(word, size, pc);
}

bool plain_access(std::uintptr_t address, std::size_t size, bool write, std::uint64_t pc) {
  if (replay_plain<false>(address, size, write, pc)) return false;
  plain_and_all(address, size, write, pc);
  return true;
}

// A read that is no plain access like others: whether it is made (misuse.cpp) depends on who comes
// first, which is no event.
void uses_last(std::uint64_t pc) {
  Thread& t = *execution.current;
  const std::uintptr_t word = t.last_use;
  t.last_use = 0;
  if (word == 0) return;
  settle_plain_writes();
  t.uses_memory();
  const std::uint8_t mask = byte_mask(word & 7, 8 - (word & 7));
  Cell* cell = plain_cell(word, mask, false, on_own_stack(t, word), pc);
  if (cell == nullptr) return;
  const auto access = PlainAccess::of(t.cursor, t.id, mask, false, pc);
  if (execution.shadow.record(cell, access, [&] { return execution.clock(); }) == nullptr) return;
  race(cell, access, word, "a plain read", pc);
  execution.shadow.keep(cell, access, execution.clock());
}

// The copy of an object reads also what lies behind its last member. There may be a member of
// another object, one of a class that is derived from this one's, which the copy does not mean: so
// this races with nobody. But memory must be there, and what nobody has written may matter.
void padding_access(std::uintptr_t address, std::size_t size, std::uint64_t pc) {
  each_cell_alive(address, size, "a plain read", pc,
                  [&](Cell* cell, std::uintptr_t part, std::uint8_t mask) {
                    if ((cell->unwritten & mask) != 0)
                      come_to_unwritten(cell, part, mask, false, pc);
                  });
}

// It is a member function of the object, which must be alive, and reads nothing of it.
void notifies(std::uintptr_t address, std::size_t size, std::uint64_t pc) {
  settle_plain_writes();
  const Thread& t = *execution.current;
  each_cell_alive(address, size, "a notification", pc,
                  [&](Cell* cell, std::uintptr_t, std::uint8_t mask) {
                    execution.shadow.record_use(cell, PlainAccess::use(t.cursor, t.id, mask, pc));
                  });
}

}  // namespace fencepost::checker
