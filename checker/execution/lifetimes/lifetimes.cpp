// SPDX-License-Identifier: MIT
// The end of memory's life: heap blocks that are freed, static objects that are destroyed, stacks
// and thread-local variables of threads that end.
//
// It counts as one more access to each byte, which no order makes fit for use again. Cells that
// have been accessed get it at once. The others, most of a large object, get it if somebody still
// comes: whoever is the first to access a cell asks here.
#include "execution/lifetimes/lifetimes.hpp"

#include <algorithm>
#include <bit>

#include "execution/above.hpp"
#include "execution/accesses/plain_accesses.hpp"
#include "execution/deferred_violations.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/stack/stacks.hpp"
#include "execution/lifetimes/uninitialised.hpp"
#include "graph/state_section.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {
namespace {

void is_freed(const Heap::Block& block, std::uintptr_t address, const char* what,
              std::uint64_t pc) {
  execution.violate("memory", pc, "%s of freed memory (address 0x%lx, freed at pc 0x%lx)", what,
                    static_cast<unsigned long>(address),
                    static_cast<unsigned long>(block.freed_at));
}

// Room for the stacks and variables of all threads is set aside; of those that never began, and
// below the stacks, there is nothing.
void must_be_of_a_thread(std::uintptr_t address, const char* what, std::uint64_t pc) {
  const unsigned owner = regions::thread_of(address);
  const bool below = regions::in_stacks(address) && address < regions::stack_low(owner);
  if (owner < execution.thread_count && execution.threads[owner].state != ThreadState::absent &&
      !below)
    return;
  execution.violate("memory", pc, "%s at address 0x%lx, where there is no memory", what,
                    static_cast<unsigned long>(address));
}

void enter_end(Cell* cell, std::uintptr_t address, const EndOfLife& end) {
  const std::uint8_t mask = bytes_in(address, end.address, end.size);
  if (mask == 0) return;
  execution.shadow.keep(cell, PlainAccess::end(end.index, end.thread, mask, end.pc),
                        execution.clock());
}

void life_ends(std::uintptr_t address, std::size_t size, std::uint64_t pc) {
  const Thread& t = *execution.current;
  const bool heap = regions::in_heap(address);
  must_not_end_locks(address, size, pc);
  if (!heap) destroyed_objects.push_back({address, size, t.cursor, t.id, pc});
  look_for_users(address, size, pc, heap ? "memory is freed" : "a static object is destroyed",
                 true);
}

}  // namespace

FENCEPOST_CHECKER_STATE constinit Array<EndOfLife> destroyed_objects;

Heap::Block& heap_block(std::uintptr_t address, const char* what, std::uint64_t pc) {
  Heap::Block* b = execution.heap.find(address);
  if (b == nullptr) {
    execution.violate("memory", pc, "%s outside any allocated block (address 0x%lx)", what,
                      static_cast<unsigned long>(address));
  }
  return *b;
}

const Heap::Block& check_heap(std::uintptr_t address, const char* what, std::uint64_t pc) {
  const Heap::Block& b = heap_block(address, what, pc);
  if (b.freed_at != 0) is_freed(b, address, what, pc);
  return b;
}

// The first access of a cell in this execution.
void come_first(Cell* cell, std::uintptr_t address, const char* what, std::uint64_t pc) {
  if (regions::in_heap(address)) {
    const Heap::Block& b = heap_block(address, what, pc);
    keep_outside(cell, address, b);
    if (b.freed_at == 0) {
      if (!b.startup) cell->unwritten = bytes_in(address, b.address, b.size);
      return;
    }
    if (b.freed_by == kMaxThreads) is_freed(b, address, what, pc);  // before main
    enter_end(cell, address, {b.address, b.size, b.freed_index, b.freed_by, b.freed_at});
    return;
  }
  if (regions::in_threads(address)) must_be_of_a_thread(address, what, pc);
  for (const EndOfLife& end : destroyed_objects) enter_end(cell, address, end);
}

// Bytes of its last cell that a heap block does not have: they are as what was freed long ago.
void keep_outside(Cell* cell, std::uintptr_t address, const Heap::Block& block) {
  const auto outside = static_cast<std::uint8_t>(~bytes_in(address, block.address, block.size));
  if (outside == 0) return;
  execution.shadow.keep(cell, PlainAccess::end(0, execution.current->id, outside, 0),
                        execution.clock());
}

// The end of a heap block, or of a static object's lifetime.
void end_life(std::uintptr_t address, std::size_t size, std::uint64_t pc) {
  settle_plain_writes();
  if (execution.options.symmetry) [[unlikely]]
    execution.symmetry.accesses(address, size, true, pc);
  execution.current->effect();
  life_ends(address, size, pc);
}

// Who may still access what ends its life here? `for_good`: each access to what has been accessed
// is an error from now on.
void look_for_users(std::uintptr_t address, std::size_t size, std::uint64_t pc, const char* ends,
                    bool for_good) {
  Thread& t = *execution.current;
  Graph& g = execution.graph();
  const bool on_stack = regions::in_stacks(address);
  const std::uintptr_t end = address + size;
  std::uintptr_t next;
  for (std::uintptr_t a = address; a < end; a = next) {
    next = std::min((a & ~std::uintptr_t{7}) + 8, end);
    Cell* cell = execution.shadow.find(a);
    if (cell == nullptr) return;
    const bool has_objects = cell->has_objects();
    // Its thread's own, or nobody's.
    if (!has_objects && (on_stack ? !cell->visited : execution.shadow.is_fresh(cell))) continue;
    const unsigned offset = a & 7;
    const std::size_t bytes = next - a;
    const auto access = PlainAccess::end(t.cursor, t.id, byte_mask(offset, bytes), pc);
    for (unsigned b = offset; has_objects && b < offset + bytes; ++b) {
      const std::uint16_t id = cell->location[b];
      if (id == 0 || (b > offset && cell->location[b - 1] == id)) continue;
      Location& l = g.location(id);
      for (unsigned k = 0; k < l.writes.size() + l.reads.size(); ++k) {
        const EventId e = k < l.writes.size() ? l.writes[k] : l.reads[k - l.writes.size()];
        if (Graph::includes(execution.clock(), e)) continue;
        // What knows of the end was judged as it came, or is of what takes the place next.
        if (g.hb(e)[t.id] > t.cursor) continue;
        execution.violation.highlight[0] = e;
        execution.violation.highlights = 1;
        const std::uintptr_t there = a - offset + b;
        suspect("memory", as_access(e), access, true, there, pc,
                "%s while thread %u may still access it (address 0x%lx)", ends, e.thread(),
                static_cast<unsigned long>(there));
      }
    }
    if (execution.shadow.is_fresh(cell)) continue;
    if (!Shadow::has_only_one_of(cell, t.id)) {
      execution.shadow.each_conflict(
          cell, access, execution.clock(), [&](const PlainAccess& other) {
            const std::uintptr_t there = a - offset +
                                         static_cast<unsigned>(std::countr_zero(
                                             static_cast<unsigned>(other.mask() & access.mask())));
            suspect("memory", other, access, false, there, pc,
                    "%s while thread %u may still access it (address 0x%lx)", ends, other.thread(),
                    static_cast<unsigned long>(there));
          });
    }
    if (execution.options.coverage) note_coverage(cell, access);
    bool fresh;
    if (for_good)
      execution.shadow.keep(execution.shadow.cell(a, &fresh), access, execution.clock());
  }
}

// Where nobody has ever come, there is nobody to look for. Who comes later looks for the end.
void look_for_visitors(const Extent& visited, std::uint64_t pc, const char* ends) {
  if (visited.is_empty()) return;
  look_for_users(visited.begin, visited.end - visited.begin, pc, ends, false);
}

void end_object(std::uintptr_t address, std::size_t size, std::uint64_t pc) {
  constexpr const char* kEnds = "an object is destroyed";
  Thread& t = *execution.current;
  t.uses_memory();
  if (execution.options.symmetry) execution.symmetry.accesses(address, size, true, pc);
  const bool own = on_own_stack(t, address);
  for (std::size_t done = 0; done < size;) {
    const std::uintptr_t a = address + done;
    const unsigned offset = a & 7;
    const std::size_t bytes = size - done < 8 - offset ? size - done : 8 - offset;
    done += bytes;
    bool fresh;
    Cell* const cell = execution.shadow.cell(a, &fresh);
    if (cell == nullptr) return;
    if (fresh && !own) come_first(cell, a, "the end of a destructor", pc);
    const auto end = PlainAccess::end_of_object(t.cursor, t.id, byte_mask(offset, bytes), pc);
    const bool clashes =
        execution.shadow.record(cell, end, [&] { return execution.clock(); }) != nullptr;
    if (clashes || cell->has_objects()) look_for_users(a, bytes, pc, kEnds, false);
    if (clashes) execution.shadow.keep(cell, end, execution.clock());
    if (cell->has_objects() || (regions::in_stacks(a) && !cell->visited)) continue;
    cell->unwritten |= end.mask();
    if (uninitialised.follows_only) execution.heap.fill_where_otherwise(a, bytes);
  }
}

// The current thread ends, and with it its variables. Those of the main thread are there until the
// process ends, also where it has called pthread_exit.
void end_variables() {
  Thread& t = *execution.current;
  if (t.id == 0) return;
  settle_plain_writes();
  t.variables_ended_at = t.cursor + 1;
  if (!stacks.any_visited(t.id)) return;
  constexpr const char* kEnds = "a thread ends, with its variables,";
  const std::uintptr_t low = std::min(t.deepest_stack, t.deepest_write);
  look_for_visitors(stacks[t.id].visited.within(low, t.stack_top - low), 0, kEnds);
  const std::uintptr_t own = execution.snapshot.variables_begin(t.thread_pointer);
  const std::size_t size = execution.snapshot.variables_end(t.thread_pointer) - own;
  look_for_visitors(stacks[t.id].visited_variables.within(own, size), 0, kEnds);
}

}  // namespace fencepost::checker
