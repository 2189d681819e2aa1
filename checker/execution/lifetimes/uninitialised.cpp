// SPDX-License-Identifier: MIT
// Reads of memory that nobody has written: on the heap, and local variables. So is what is left of
// an object after its destructor, which nobody may read.
//
// Such a read alone is no error: whoever copies a struct reads its padding. It is one if what was
// found there matters. So where an execution has made one, the program is run along the same graph
// again, with other values in fresh memory: where it then does something else (another event,
// another value written or expected, other output, a violation), that is told of the read. It is
// looked for read by read which of them it is. In these runs nothing is added to the graph: a
// thread that has passed all its events stops where it stopped before, or has done something else.
//
// Atomic objects have initial values, which the graph knows: those are changed in it meanwhile.
#include "execution/lifetimes/uninitialised.hpp"

#include <cstdio>
#include <cstring>

#include "execution/above.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/stack/stacks.hpp"
#include "graph/state_section.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {
namespace {

constexpr std::uint32_t kMostReads = 64;
constexpr Heap::Contents kOthers[] = {Heap::Contents::zeros, Heap::Contents::ones,
                                      Heap::Contents::large};

}  // namespace

FENCEPOST_CHECKER_STATE constinit Uninitialised uninitialised;

void Uninitialised::new_execution() {
  reads.clear();
  locals.clear();
}

void Uninitialised::prints(const void* text, std::size_t size) {
  const auto* p = static_cast<const unsigned char*>(text);
  std::uint64_t& h = printed[execution.current->id];
  for (std::size_t i = 0; i < size; ++i) h = mix(h, p[i] + 1U);
}

void Uninitialised::note_read(std::uintptr_t address, std::size_t size, std::uint64_t pc,
                              std::uint64_t destroyed_at) {
  const unsigned thread = execution.current->id;
  if (!reads.empty()) {
    UnwrittenRead& last = reads.back();
    if (last.pc == pc && last.thread == thread && last.address + last.size == address) {
      last.size += size;
      return;
    }
  }
  for (const UnwrittenRead& r : reads) {
    if (address - r.address < r.size) return;
  }
  if (reads.size() < kMostReads) reads.push_back({address, size, thread, pc, destroyed_at});
}

// gcc's plugin and clang's early instrumentation say where there is such a variable. When its place
// is used for another one, that has bytes here which nobody seems to have written: to read them as
// the program is run again changes nothing.
void Uninitialised::local_is_unwritten(std::uintptr_t address, std::size_t size) {
  if (!on_own_stack(*execution.current, address)) return;
  execution.heap.fill(address, size);
  bool is_known = false;
  for (const UnwrittenLocal& l : locals) {
    is_known = is_known || (l.address == address && l.size == size);
  }
  if (!is_known) locals.push_back({address, size});
  for (std::uintptr_t a = address; a < address + size;) {
    const unsigned offset = a & 7;
    const std::size_t left = address + size - a;
    const unsigned bytes = left < 8 - offset ? static_cast<unsigned>(left) : 8 - offset;
    bool fresh;
    Cell* cell = execution.shadow.cell(a, &fresh);
    if (cell == nullptr) return;
    cell->unwritten |= byte_mask(offset, bytes);
    a += bytes;
  }
}

// What lies in a register has no address. That of the code stands for it, where no memory is.
std::uint64_t Uninitialised::unwritten_word(std::uint64_t pc) {
  const std::uintptr_t address = pc << 3;
  std::uint64_t word = 0;
  for (unsigned b = 0; b < sizeof word; ++b) {
    word |= std::uint64_t{execution.heap.fresh_now(address + b)} << (8 * b);
  }
  note_read(address, sizeof word, pc, 0);
  return word;
}

// Was an atomic object fresh as a whole when its initial value was taken, and does nobody write to
// it in a plain way? Bytes of one that nobody has written while others have been are padding.
bool Uninitialised::is_unwritten(const Object& object, std::uint64_t initial) {
  bool is_local = false;
  for (const UnwrittenLocal& l : locals) {
    is_local = is_local || object.address - l.address < l.size;
  }
  if (!is_local) {
    const Cell* cell = execution.shadow.find(object.address);
    const Heap::Block* block = execution.heap.find(object.address);
    if (cell == nullptr || block == nullptr || block->startup) return false;
    const unsigned bytes = byte_mask(object.address & 7, object.size);
    if (!execution.shadow.is_fresh(cell) && (cell->unwritten & bytes) != bytes) return false;
  }
  for (unsigned b = 0; b < object.size; ++b) {
    if (static_cast<std::uint8_t>(initial >> (8 * b)) != Heap::kFreshByte) return false;
  }
  return true;
}

// In an execution that goes on. Of an atomic object that merely holds such bytes it is said, too.
bool Uninitialised::any_read() const {
  if (!reads.empty()) return true;
  Graph& g = execution.graph();
  for (const LocationId id : g.active()) {
    Location& l = g.location(id);
    if (static_cast<std::uint8_t>(l.initial) != Heap::kFreshByte) continue;
    for (const EventId e : l.reads) {
      if (g.source(e, id) == kInitial) return true;
    }
  }
  return false;
}

// At the end of an execution: atomic reads of such bytes.
void Uninitialised::note_values() {
  Graph& g = execution.graph();
  values_.clear();
  for (const LocationId id : g.active()) {
    const Object o = objects[id];
    if (o.kind != ObjectKind::atomic) continue;
    if (!regions::in_heap(o.address) && !regions::in_stacks(o.address)) continue;
    Location& l = g.location(id);
    if (!is_unwritten(o, l.initial)) continue;
    for (const EventId e : l.reads) {
      if (g.source(e, id) != kInitial) continue;
      values_.push_back({id, l.initial});
      if (reads.size() < kMostReads) {
        reads.push_back({o.address, o.size, e.thread(), g.at(e).pc, 0});
      }
      break;
    }
  }
}

// Initial values as they would be with such contents of fresh memory, in this part of it.
void Uninitialised::set_values(Heap::Contents contents, std::uintptr_t begin, std::size_t size) {
  Graph& g = execution.graph();
  for (const UnwrittenValue& u : values_) {
    const Object o = objects[u.location];
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

// A local variable takes the place of one that was an atomic object: then its first value is a
// plain write to that. With other contents of fresh memory it is another value, which means
// something only to those who read it.
bool Uninitialised::is_other_first_value(const PendingWrite& write, std::uint64_t value) {
  if (!follows_only) return false;
  Graph& g = execution.graph();
  const Event& e = g.at(write.event);
  for (unsigned b = 0; b < e.size; ++b) {
    const auto byte = [b](std::uint64_t of) { return static_cast<std::uint8_t>(of >> (8 * b)); };
    if (byte(static_cast<std::uint64_t>(e.value)) != Heap::kFreshByte) return false;
    if (byte(value) != execution.heap.fresh_now(write.address + b)) return false;
  }
  for (const EventId r : g.location(e.location).reads) {
    if (g.source(r, e.location) == write.event) return false;
  }
  return true;
}

// A thread is about to add an event in an execution to which nothing is to be added.
void Uninitialised::goes_beyond_graph(std::uint64_t pc) {
  const LeftAs& left = left_as_[execution.current->id];
  if (left.state == ThreadState::blocked && left.pc == pc) {
    for (;;)
      execution.block(left.block, pc, execution.current->block_object,
                      execution.current->block_location);
  }
  does_otherwise();
}

void Uninitialised::does_otherwise() {
  did_otherwise_ = true;
  execution.stop_execution();
}

// Runs the graph's execution again, with such contents in this part of fresh memory: does the
// program do something else?
bool Uninitialised::does_otherwise_with(Heap::Contents contents, std::uintptr_t begin,
                                        std::size_t size) {
  set_values(contents, begin, size);
  execution.heap.fill_otherwise(contents, begin, size);
  follows_only = true;
  did_otherwise_ = false;
  std::uint64_t before[kMaxThreads];
  std::memcpy(before, printed, sizeof printed);
  --execution.counters.replays;
  run_again();
  bool differs = did_otherwise_ || execution.violation.found ||
                 std::memcmp(before, printed, sizeof printed) != 0;
  for (unsigned i = 0; i < execution.graph().threads(); ++i) {
    differs = differs || execution.threads[i].cursor != execution.graph().size(i);
  }
  std::memcpy(printed, before, sizeof printed);
  execution.violation.found = false;
  follows_only = false;
  execution.heap.fill_otherwise(Heap::Contents::usual, 0, 0);
  set_values(Heap::Contents::usual, 0, 0);
  for (const FirstValue& first : first_values)
    execution.graph().at(first.event).value = first.value;
  first_values.clear();
  return differs;
}

void Uninitialised::tell_of(const UnwrittenRead& read) {
  const Heap::Block* block = execution.heap.find(read.address);
  execution.violation = Violation{};
  execution.violation.found = true;
  execution.violation.kind = "memory";
  execution.violation.thread = read.thread;
  execution.violation.pc = read.pc;
  if (read.destroyed_at != 0) {
    std::snprintf(execution.violation.message, sizeof execution.violation.message,
                  "reads %lu byte%s of an object that was destroyed at pc 0x%lx, and what is found "
                  "there matters (address 0x%lx)",
                  static_cast<unsigned long>(read.size), read.size == 1 ? "" : "s",
                  static_cast<unsigned long>(read.destroyed_at),
                  static_cast<unsigned long>(read.address));
    return;
  }
  if (block == nullptr) {
    std::snprintf(execution.violation.message, sizeof execution.violation.message,
                  "a local variable is used that nobody has given a value, and what is found there "
                  "matters");
    return;
  }
  std::snprintf(execution.violation.message, sizeof execution.violation.message,
                "reads %lu byte%s that nobody has written of the block allocated at pc 0x%lx, and "
                "what is found there matters (address 0x%lx)",
                static_cast<unsigned long>(read.size), read.size == 1 ? "" : "s",
                static_cast<unsigned long>(block->allocated_at),
                static_cast<unsigned long>(read.address));
}

// The execution that has just ended has read what nobody has written. False if that matters: then
// there is a violation, or no verdict.
bool Uninitialised::is_indifferent() {
  constexpr std::size_t kAll = ~std::size_t{0};
  for (unsigned i = 0; i < execution.graph().threads(); ++i) {
    const Thread& t = execution.threads[i];
    left_as_[i] = {t.state, t.block, t.block_pc};
  }
  told_of_.assign(reads.data(), reads.size());
  const auto matters = [&](Heap::Contents contents, std::uintptr_t begin, std::size_t size) {
    bool differs = does_otherwise_with(contents, begin, size);
    if (differs && execution.inconclusive == nullptr && !execution.begins_anew &&
        !first_threads.runs_whole) {
      // What is told must be so also where main begins at its beginning.
      first_threads.runs_whole = true;
      differs = does_otherwise_with(contents, begin, size);
      first_threads.runs_whole = false;
    }
    return differs && execution.inconclusive == nullptr && !execution.begins_anew;
  };
  for (const Heap::Contents contents : kOthers) {
    if (!matters(contents, 0, kAll)) {
      if (execution.inconclusive != nullptr) return false;
      continue;
    }
    // It is not for being run in this way.
    if (matters(Heap::Contents::usual, 0, kAll)) {
      execution.inconclusive =
          "the program does not do the same again when it is run again with the same values read: "
          "does it use uninitialised memory, addresses, or something outside itself?";
      return false;
    }
    for (const UnwrittenRead& read : told_of_) {
      execution.inconclusive = nullptr;
      if (!matters(contents, read.address, read.size)) continue;
      does_otherwise_with(Heap::Contents::usual, 0, 0);
      tell_of(read);
      return false;
    }
    execution.inconclusive = nullptr;
    does_otherwise_with(Heap::Contents::usual, 0, 0);
    tell_of(told_of_[0]);
    return false;
  }
  return true;
}

}  // namespace fencepost::checker
