// SPDX-License-Identifier: MIT
// Memory that was freed is given out again: an address comes back, and a compare-exchange may
// succeed for the wrong reason (ABA). Which allocation is given which block is explored.
//
// The C and C++ standards say what that synchronises: "each such deallocation call shall happen
// before the next allocation (if any)" of the same storage, [new.delete.dataraces]. No more is
// promised, so no more is explored: not the lock of an allocator, which would order other blocks,
// too.
//
// An allocation chooses between fresh memory, which is the default, and offers. An offer is a block
// by the thread that frees it and the number of that free; which offers there are depends on what
// happens before the allocation alone. What the thread knows to have been freed, and not to have
// been given to somebody, can be had at once. The rest is a guess: the thread waits until the free
// is there, and comes after it (Kind::join), as a thread is joined. Where that never comes, or the
// block is given to two, there is no such execution, and it is dropped. How many frees a thread can
// have is learned; when more are met than was thought, the search begins anew. Of the search
// nothing else changes: an option other than the first is never taken back, and whatever takes it
// later would take the first.
//
// To be given a block is a plain write to all of it. So who still uses it as what it was before,
// and is not known to have done so before it was freed, races with that or with the free.
#include "execution/lifetimes/reuse.hpp"

#include <algorithm>
#include <cstring>

#include "execution/above.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/lifetimes.hpp"
#include "graph/state_section.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {
namespace {

// What was known of its bytes is forgotten, also of those that it does not have any more, and the
// current thread writes them.
void lives_again(const Heap::Block& block, std::size_t before, std::uint64_t pc) {
  const std::uintptr_t end = block.address + std::max(block.size, before);
  for (std::uintptr_t a = block.address; a < end; a += 8) {
    bool fresh;
    Cell* cell = execution.shadow.cell(a, &fresh);
    if (cell == nullptr) return;
    execution.shadow.forget(cell);
    cell->unwritten = bytes_in(a, block.address, block.size);
    execution.shadow.keep(cell,
                          PlainAccess::of(execution.current->cursor, execution.current->id,
                                          cell->unwritten, true, pc),
                          execution.clock());
    keep_outside(cell, a, block);
  }
}

}  // namespace

FENCEPOST_CHECKER_STATE constinit FreedMemory freed_memory;

// A thread has freed a block that was allocated in this execution.
void FreedMemory::add(std::uintptr_t address, std::size_t size, std::uint64_t pc) {
  if (execution.options.reuse_of == Reuse::never) return;
  const std::uint32_t blocks = size_class(size);
  SizeClass& c = size_classes_[SizeClass::number(blocks)];
  if (!c.given_now) {
    c.freed = true;
    learn_if_given(c);
    return;
  }
  Array<FreedBlock>& own = freed[execution.current->id];
  const FreedBlock block{address, blocks, execution.current->cursor, 0, kMaxThreads};
  if (knows_that_it_is_alone()) {  // whoever comes, comes after this
    own.push_back(block);
    return;
  }
  std::uint32_t before = 0;
  for (const FreedBlock& b : own) before += b.size_class == blocks ? 1 : 0;
  if (before >= c.frees[execution.current->id] && before < SizeClass::kMostFrees) {
    c.frees[execution.current->id] = static_cast<std::uint8_t>(before + 1);
    learn();
  }
  if (!execution.repeats(Operation::memory_freed, pc)) {
    execution.before_new_event(pc);
    Event e{};
    e.kind = Kind::join;
    e.what = Operation::memory_freed;
    e.pc = pc;
    e.from = kInitial;
    e.operand = execution.current->id;
    e.flags = kUnlocked;
    e.effects = execution.current->effects;
    execution.explorer.add_event(execution.current->id, e);
    ++execution.current->cursor;
  }
  own.push_back(block);
  for (unsigned i = 0; i < execution.thread_count; ++i) {
    if (execution.threads[i].block == Block::memory) execution.wake(execution.threads[i]);
  }
}

void FreedMemory::learn() {
  if (execution.is_worker) {
    execution.counters.reuse_missed = 1;
  } else {
    execution.begins_anew = true;
  }
}

void FreedMemory::learn_if_given(const SizeClass& c) {
  const bool given = c.freed && (c.compared || execution.options.reuse_of == Reuse::always);
  if (given && !c.given_now) learn();
}

void FreedMemory::use_what_was_learned() {
  for (SizeClass& c : size_classes_) {
    c.given_now = c.freed && (c.compared || execution.options.reuse_of == Reuse::always);
    std::memcpy(c.frees_now, c.frees, sizeof c.frees);
  }
}

// Of the value that a compare-exchange expects: perhaps an address, or one with a mark in its upper
// or its lowest bits.
void FreedMemory::is_compared(std::uint64_t value) {
  for (const std::uint64_t a : {value, value & ((std::uint64_t{1} << 48) - 1), value >> 16}) {
    if (!regions::in_heap(a)) continue;
    execution.counters.addresses_compared = 1;
    const Heap::Block* b = execution.heap.find(a);
    if (b == nullptr || execution.options.reuse_of != Reuse::where_compared) continue;
    SizeClass& c = size_classes_[SizeClass::number(size_class(b->size))];
    if (c.compared) continue;
    c.compared = true;
    learn_if_given(c);
  }
}

bool FreedMemory::is_given() const {
  bool given = false;
  for (const SizeClass& c : size_classes_) given = given || c.given_now;
  return given;
}

void FreedMemory::write(Bytes* out) const {
  std::uint32_t given = 0;
  for (const SizeClass& c : size_classes_) given += c.given_now ? 1 : 0;
  put(out, given);
  for (std::uint32_t k = 0; k < SizeClass::kClasses; ++k) {
    if (!size_classes_[k].given_now) continue;
    put(out, k);
    put(out, size_classes_[k]);
  }
}

// As they come from elsewhere: a bool may have any value there.
struct SizeClassBytes {
  unsigned char is[3];
  std::uint8_t frees[2 * kMaxThreads];
};
static_assert(sizeof(SizeClassBytes) == sizeof(SizeClass));

bool FreedMemory::read(BytesIn* in) {
  const auto given = in->take<std::uint32_t>();
  for (std::uint32_t i = 0; i < given && in->ok(); ++i) {
    const auto k = in->take<std::uint32_t>();
    if (k >= SizeClass::kClasses) return false;
    const auto learned = in->take<SizeClassBytes>();
    for (unsigned b = 0; b < 3; ++b) {
      if (learned.is[b] > 1) return false;
    }
    // With another heap main might not do the same before it makes a thread.
    if (std::memcmp(&size_classes_[k], &learned, sizeof learned) != 0) forget_first_threads();
    std::memcpy(static_cast<void*>(&size_classes_[k]), &learned, sizeof learned);
    for (unsigned t = 0; t < kMaxThreads; ++t) {
      const SizeClass& c = size_classes_[k];
      if (c.frees[t] > SizeClass::kMostFrees || c.frees_now[t] > c.frees[t]) return false;
    }
  }
  return true;
}

// Calls `visit` with each offer, always in the same order.
template <typename Visit>
void FreedMemory::each_offer(std::uint32_t blocks, std::size_t alignment, Visit visit) {
  const unsigned self = execution.current->id;
  const Graph& g = execution.graph();
  const Graph::Clock known = execution.clock();
  const auto knows = [&](unsigned thread, std::uint32_t index) {
    return thread == self || (thread < g.threads() && known[thread] > index);
  };
  const SizeClass& c = size_classes_[SizeClass::number(blocks)];
  for (unsigned thread = 0; thread < kMaxThreads; ++thread) {
    std::uint32_t number = 0;
    FreedOffer last{kMaxThreads, 0, true};
    for (std::uint32_t i = 0; i < freed[thread].size(); ++i) {
      const FreedBlock& b = freed[thread][i];
      if (b.size_class != blocks) continue;
      if (!knows(thread, b.at)) break;
      const FreedOffer offer{thread, number++, true};
      if (b.address % alignment != 0) continue;
      if (b.taken_by != kMaxThreads && knows(b.taken_by, b.taken_at)) continue;
      if (execution.options.reuse_all) {
        visit(offer);
      } else {
        last = offer;
      }
    }
    if (last.thread != kMaxThreads) visit(last);
    if (thread == self) continue;
    for (; number < c.frees_now[thread]; ++number) visit(FreedOffer{thread, number, false});
  }
}

FreedBlock* FreedMemory::block_of(const FreedOffer& offer, std::uint32_t blocks) {
  std::uint32_t number = 0;
  for (FreedBlock& b : freed[offer.thread]) {
    if (b.size_class == blocks && number++ == offer.number) return &b;
  }
  return nullptr;
}

void FreedMemory::wait_for_free(const FreedOffer& offer, std::uint32_t blocks, std::uint64_t pc) {
  if (execution.repeats(Operation::memory_given, pc)) return;
  while (block_of(offer, blocks) == nullptr) execution.block(Block::memory, pc, 0, 0);
  execution.before_new_event(pc);
  execution.come_after(Operation::memory_given, event_id(offer.thread, block_of(offer, blocks)->at),
                       pc, kUnlocked);
}

// Does somebody still wait for memory that nobody has freed?
bool FreedMemory::is_waited_for() const {
  for (std::uint64_t left = execution.in(ThreadState::blocked); left != 0; left &= left - 1) {
    if (execution.threads[__builtin_ctzll(left)].block == Block::memory) return true;
  }
  return false;
}

void* FreedMemory::give(std::size_t size, std::size_t alignment, std::uint64_t pc) {
  const std::uint32_t blocks = size_class(size);
  if (!size_classes_[SizeClass::number(blocks)].given_now) return nullptr;
  Thread& t = *execution.current;
  if (t.reuses_taken >= execution.options.reuse) return nullptr;
  std::uint32_t count = 0;
  each_offer(blocks, alignment, [&](const FreedOffer&) { ++count; });
  if (count == 0) return nullptr;
  const std::uint32_t chosen = execution.choose(Operation::reuses_memory, count + 1, pc);
  if (chosen == 0) return nullptr;
  ++t.reuses_taken;
  FreedOffer offer{};
  count = 0;
  each_offer(blocks, alignment, [&](const FreedOffer& o) {
    if (++count == chosen) offer = o;
  });
  if (!offer.known) wait_for_free(offer, blocks, pc);
  FreedBlock& block = *block_of(offer, blocks);
  if (block.taken_by != kMaxThreads || block.address % alignment != 0) execution.drop_execution();
  block.taken_by = static_cast<std::uint8_t>(t.id);
  block.taken_at = t.cursor - 1;
  Heap::Block& b = *execution.heap.find(block.address);
  const std::size_t before = b.size;
  void* const again = execution.heap.give_again(b, size, pc);
  lives_again(b, before, pc);
  return again;
}

}  // namespace fencepost::checker
