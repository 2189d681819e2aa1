// SPDX-License-Identifier: MIT
// Reads of heap memory that nobody has written.
//
// Such a read alone is no error: whoever copies a struct reads its padding. It is one if what was
// found there matters. So where an execution has made one, the program is run along the same graph
// again, with other values in fresh memory: where it then does something else (another event,
// another value written or expected, other output, a violation), that is told of the read. It is
// looked for read by read which of them it is. In these runs nothing is added to the graph: a
// thread that has passed all its events stops where it stopped before, or has done something else.
//
// Atomic objects have initial values, which the graph knows: those are changed in it meanwhile.
#include <cstdio>
#include <cstring>

#include "program/regions.hpp"
#include "program/runtime.hpp"

namespace fencepost::checker {
namespace {

constexpr std::uint32_t kMostReads = 64;
constexpr Heap::Contents kOthers[] = {Heap::Contents::zeros, Heap::Contents::ones};

}  // namespace

void Runtime::note_unwritten_read(std::uintptr_t address, std::size_t size, std::uint64_t pc) {
  const unsigned thread = current->id;
  if (!unwritten_reads_.empty()) {
    UnwrittenRead& last = unwritten_reads_.back();
    if (last.pc == pc && last.thread == thread && last.address + last.size == address) {
      last.size += size;
      return;
    }
  }
  for (const UnwrittenRead& r : unwritten_reads_) {
    if (address - r.address < r.size) return;
  }
  if (unwritten_reads_.size() < kMostReads) unwritten_reads_.push_back({address, size, thread, pc});
}

// Was an atomic object fresh as a whole when its initial value was taken, and does nobody write to
// it in a plain way? Bytes of one that nobody has written while others have been are padding.
bool Runtime::is_unwritten(const Object& object, std::uint64_t initial) {
  const Cell* cell = shadow.find(object.address);
  const Heap::Block* block = heap.find(object.address);
  if (cell == nullptr || block == nullptr || block->startup) return false;
  const unsigned bytes = byte_mask(object.address & 7, object.size);
  if (!shadow.is_fresh(cell) && (cell->unwritten & bytes) != bytes) return false;
  for (unsigned b = 0; b < object.size; ++b) {
    if (static_cast<std::uint8_t>(initial >> (8 * b)) != Heap::kFreshByte) return false;
  }
  return true;
}

// At the end of an execution: atomic reads of such bytes.
void Runtime::note_unwritten_values() {
  Graph& g = graph();
  unwritten_values_.clear();
  for (const LocationId id : g.active()) {
    const Object o = objects_[id];
    if (o.kind != ObjectKind::atomic || !regions::in_heap(o.address)) continue;
    Location& l = g.location(id);
    if (!is_unwritten(o, l.initial)) continue;
    for (const EventId e : l.reads) {
      if (g.source(e, id) != kInitial) continue;
      unwritten_values_.push_back({id, l.initial});
      if (unwritten_reads_.size() < kMostReads) {
        unwritten_reads_.push_back({o.address, o.size, e.thread(), g.at(e).pc});
      }
      break;
    }
  }
}

// Initial values as they would be with such contents of fresh memory, in this part of it.
void Runtime::set_unwritten_values(Heap::Contents contents, std::uintptr_t begin,
                                   std::size_t size) {
  Graph& g = graph();
  for (const UnwrittenValue& u : unwritten_values_) {
    const Object o = objects_[u.location];
    Location& l = g.location(u.location);
    l.initial = u.value;
    for (unsigned b = 0; b < o.size; ++b) {
      if (o.address + b - begin >= size) continue;
      l.initial &= ~(std::uint64_t{0xff} << (8 * b));
      l.initial |= std::uint64_t{Heap::fresh_byte(contents, o.address + b)} << (8 * b);
    }
    for (const EventId e : l.reads) {
      if (g.at(e).more == 0 && g.at(e).from == kInitial) g.at(e).value = l.initial;
    }
  }
}

// A thread is about to add an event in an execution to which nothing is to be added.
void Execution::goes_beyond_graph(std::uint64_t pc) {
  const LeftAs& left = left_as_[current->id];
  if (left.state == ThreadState::blocked && left.pc == pc) {
    for (;;) block(left.block, pc, current->block_object, current->block_location);
  }
  does_otherwise();
}

void Execution::does_otherwise() {
  did_otherwise_ = true;
  stop_execution();
}

// Runs the graph's execution again, with such contents in this part of fresh memory: does the
// program do something else?
bool Runtime::does_otherwise_with(Heap::Contents contents, std::uintptr_t begin, std::size_t size) {
  set_unwritten_values(contents, begin, size);
  heap.fill_otherwise(contents, begin, size);
  follows_only_ = true;
  did_otherwise_ = false;
  std::uint64_t printed[kMaxThreads];
  std::memcpy(printed, printed_, sizeof printed);
  --totals.replays;
  run_once();
  bool differs =
      did_otherwise_ || violation.found || std::memcmp(printed, printed_, sizeof printed) != 0;
  for (unsigned i = 0; i < graph().threads(); ++i) {
    differs = differs || threads_[i].cursor != graph().size(i);
  }
  std::memcpy(printed_, printed, sizeof printed);
  violation.found = false;
  follows_only_ = false;
  heap.fill_otherwise(Heap::Contents::usual, 0, 0);
  set_unwritten_values(Heap::Contents::usual, 0, 0);
  return differs;
}

void Runtime::tell_of(const UnwrittenRead& read) {
  const Heap::Block* block = heap.find(read.address);
  violation = Violation{};
  violation.found = true;
  violation.kind = "memory";
  violation.thread = read.thread;
  violation.pc = read.pc;
  std::snprintf(violation.message, sizeof violation.message,
                "reads %lu byte%s that nobody has written of the block allocated at pc 0x%lx, and "
                "what is found there matters (address 0x%lx)",
                static_cast<unsigned long>(read.size), read.size == 1 ? "" : "s",
                static_cast<unsigned long>(block == nullptr ? 0 : block->allocated_at),
                static_cast<unsigned long>(read.address));
}

// The execution that has just ended has read what nobody has written. False if that matters: then
// there is a violation, or no verdict.
bool Runtime::unwritten_is_indifferent() {
  constexpr std::size_t kAll = ~std::size_t{0};
  for (unsigned i = 0; i < graph().threads(); ++i) {
    const Thread& t = threads_[i];
    left_as_[i] = {t.state, t.block, t.block_pc};
  }
  told_of_.assign(unwritten_reads_.data(), unwritten_reads_.size());
  const auto matters = [&](Heap::Contents contents, std::uintptr_t begin, std::size_t size) {
    return does_otherwise_with(contents, begin, size) && inconclusive == nullptr && !begin_anew_;
  };
  for (const Heap::Contents contents : kOthers) {
    if (!matters(contents, 0, kAll)) {
      if (inconclusive != nullptr) return false;
      continue;
    }
    // It is not for being run in this way.
    if (matters(Heap::Contents::usual, 0, kAll)) {
      inconclusive =
          "the program does not do the same again when it is run again with the same values read: "
          "does it use uninitialised memory, addresses, or something outside itself?";
      return false;
    }
    for (const UnwrittenRead& read : told_of_) {
      inconclusive = nullptr;
      if (!matters(contents, read.address, read.size)) continue;
      does_otherwise_with(Heap::Contents::usual, 0, 0);
      tell_of(read);
      return false;
    }
    inconclusive = nullptr;
    does_otherwise_with(Heap::Contents::usual, 0, 0);
    tell_of(told_of_[0]);
    return false;
  }
  return true;
}

}  // namespace fencepost::checker
