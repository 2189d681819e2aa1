// SPDX-License-Identifier: MIT
#include "execution/threads/symmetry.hpp"

#include <cstring>

#include "execution/execution.hpp"
#include "execution/objects.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {

void Symmetry::new_execution() {
  for (unsigned t = 0; t < kMaxThreads; ++t) {
    family_[t] = static_cast<std::uint8_t>(t);
    family_size_[t] = 1;
    told_apart_[t] = false;
    stored_[t].size = 0;
  }
  joining_ = 0;
  since_creation_.clear();
}

void Symmetry::refuse(unsigned thread, const char* why, std::uint64_t pc) {
  const unsigned eldest = family_[thread];
  unsigned other = eldest;
  for (unsigned t = 1; t < kMaxThreads && other == thread; ++t) {
    if (family_[t] == eldest) other = t;
  }
  execution.unsupported(pc,
                        "thread %u and thread %u were created alike, but %s: so they are not "
                        "interchangeable; check the program without --symmetry",
                        thread < other ? thread : other, thread < other ? other : thread, why);
}

unsigned Symmetry::elder(unsigned thread, const Birth& birth) {
  const Thread& parent = *execution.current;
  if (parent.id != 0 || parent.cursor == 0 || thread < 2) return 0;
  const Event& last = execution.graph().at(0, parent.cursor - 1);
  if (last.kind != Kind::create || last.operand != thread - 1) return 0;
  const Birth& elder = births_[thread - 1];
  if (birth.entry != elder.entry || birth.owned != elder.owned ||
      birth.detached != elder.detached) {
    return 0;
  }
  if (!birth.owned) return birth.argument == elder.argument ? thread - 1 : 0;
  const Heap::Block* block = execution.heap.find(reinterpret_cast<std::uintptr_t>(birth.argument));
  const Array<char>& bytes = owned_[thread - 1];
  const bool same = block != nullptr && bytes.size() != 0 && block->size == bytes.size() &&
                    std::memcmp(birth.argument, bytes.data(), block->size) == 0;
  return same ? thread - 1 : 0;
}

void Symmetry::created(unsigned by, unsigned thread, unsigned elder, const Birth& birth,
                       std::uint64_t pc) {
  births_[thread] = birth;
  owned_[thread].clear();
  const auto argument = reinterpret_cast<std::uintptr_t>(birth.argument);
  const Heap::Block* block = birth.owned ? execution.heap.find(argument) : nullptr;
  if (block != nullptr && block->address == argument) {
    owned_[thread].assign(static_cast<const char*>(birth.argument), block->size);
  }
  if (by != 0) told_apart_[0] = true;  // threads have no fixed numbers any more
  if (elder != 0) {
    family_[thread] = family_[elder];
    ++family_size_[family_[thread]];
    for (unsigned t = family_[thread]; t <= thread; ++t)
      execution.counters.symmetric_threads |= 1ULL << t;
    for (const Range& r : since_creation_) between_.push_back(r);
    if (told_apart_[elder]) refuse(thread, "one of them has asked for its own number", pc);
  }
  if (told_apart_[0]) {
    for (unsigned t = 1; t < kMaxThreads; ++t) {
      if (has_twin(t)) refuse(t, "a thread other than main creates threads", pc);
    }
  }
  since_creation_.clear();
}

bool Symmetry::owns(unsigned thread, std::uintptr_t address) const {
  const Birth& birth = births_[thread];
  return (address >= regions::stack_low(thread) && address < regions::stack_top(thread)) ||
         address - regions::tls(thread) < regions::kTlsSize ||
         address - regions::heap(thread) < regions::kHeapSize ||
         (birth.owned &&
          address - reinterpret_cast<std::uintptr_t>(birth.argument) < owned_[thread].size());
}

// The plain write that the thread announced has been done by now.
void Symmetry::look_at_stored(std::uint64_t pc) {
  const unsigned thread = execution.current->id;
  const Stored stored = stored_[thread];
  stored_[thread].size = 0;
  const std::uintptr_t end = stored.address + stored.size;
  for (std::uintptr_t a = (stored.address + 7) & ~std::uintptr_t{7}; a + 8 <= end; a += 8) {
    std::uintptr_t value;
    std::memcpy(&value, reinterpret_cast<const void*>(a), sizeof value);
    if (owns(thread, value)) {
      refuse(thread, "one of them stores an address of its own where others may find it", pc);
    }
  }
}

// What the thread and its elder twin have done last, after both had done the same.
void Symmetry::compare(const Thread& t, std::uint64_t pc) {
  Graph& g = execution.graph();
  const EventId last = event_id(t.id, t.cursor - 1);
  const bool alike_before = t.cursor == 1 || (g.at(t.id, t.cursor - 2).flags & kTwin) != 0;
  if (!alike_before || family_[t.id] == t.id) return;
  const EventId twin = g.twin_of(last);
  bool same = twin != kInitial;
  if (same) {
    const Event& a = g.at(twin);
    const Event& b = g.at(last);
    same = a.kind == b.kind && a.what == b.what && a.pc == b.pc;
    const bool access = b.kind == Kind::read || b.kind == Kind::write;
    if (same && access && a.location != b.location) {
      same = owns(twin.thread(), objects[a.location].address) &&
             owns(t.id, objects[b.location].address);
    }
    // Only one of those who meet at a barrier chooses which of them is the serial one.
    if (a.what == Operation::barrier_serial && b.what == Operation::barrier_serial) same = true;
  }
  if (!same) refuse(t.id, "they do different things after they have read the same", pc);
}

void Symmetry::goes_on(Kind kind, Operation what, std::uint64_t pc) {
  const Thread& t = *execution.current;
  if (t.id == 0) {
    const bool joins = kind == Kind::join && what == Operation::none;
    if (joining_ != 0 && !joins && kind != Kind::end) {
      refuse(joining_, "main does something else between joining one and joining the other", pc);
    }
    if (kind != Kind::create) since_creation_.clear();
    return;
  }
  if (!has_twin(t.id)) return;
  if (stored_[t.id].size != 0) look_at_stored(pc);
  if (t.cursor == 0) return;
  compare(t, pc);
  const Graph& g = execution.graph();
  const EventId id = event_id(t.id, t.cursor - 1);
  const Event& last = g.at(id);
  if (last.kind != Kind::write) return;
  const Object& o = objects[last.location];
  const bool own =
      owns(t.id, last.value) || (last.size > 8 && owns(t.id, g.mixed_size(id).value_high));
  if (o.kind == ObjectKind::atomic && own && !owns(t.id, o.address)) {
    refuse(t.id, "one of them stores an address of its own where others may find it", pc);
  }
}

void Symmetry::stops() {
  const Thread& t = *execution.current;
  if (t.id != 0 && t.cursor != 0 && has_twin(t.id)) compare(t, t.block_pc);
}

void Symmetry::accesses(std::uintptr_t address, std::size_t size, bool write, std::uint64_t pc) {
  const Thread& t = *execution.current;
  const std::uintptr_t end = address + size;
  if (t.id == 0) {
    const Graph& g = execution.graph();
    if (joining_ != 0) {
      for (std::uintptr_t a = address & ~std::uintptr_t{7}; a < end; a += 8) {
        const Cell* cell = execution.shadow.find(a);
        if (cell == nullptr || execution.shadow.is_fresh(cell)) continue;
        for (unsigned k = 0; k < cell->count; ++k) {
          const PlainAccess& other = cell->access[k];
          if (other.thread() == 0 || !(other.write() || write)) continue;
          refuse(joining_, "main accesses what others access between joining one and the other",
                 pc);
        }
      }
    }
    if (t.cursor == 0 || g.at(0, t.cursor - 1).kind != Kind::create) return;
    if (!since_creation_.empty()) {
      Range& last = since_creation_.back();
      if (last.written == write && last.end == address) {
        last.end = end;
        return;
      }
    }
    since_creation_.push_back({address, end, write});
    return;
  }
  if (has_twin(t.id)) {
    if (stored_[t.id].size != 0) look_at_stored(pc);
    if (write && !owns(t.id, address)) stored_[t.id] = {address, size};
  }
  for (const Range& r : between_) {
    if (address >= r.end || r.begin >= end || !(write || r.written)) continue;
    if (births_[t.id].owned && owns(t.id, address)) continue;
    for (unsigned k = 1; k < kMaxThreads; ++k) {
      if (!has_twin(k)) continue;
      refuse(k, "between creating them main accesses memory that another thread accesses, too", pc);
    }
  }
}

void Symmetry::asks_for_itself(std::uint64_t pc) {
  const unsigned thread = execution.current->id;
  if (thread == 0) return;
  told_apart_[thread] = true;
  if (has_twin(thread)) refuse(thread, "one of them asks for its own number", pc);
}

void Symmetry::joined(const Thread& other, bool asks, std::uint64_t pc) {
  const unsigned family = family_[other.id];
  if (!has_twin(other.id)) {
    if (joining_ != 0) {
      refuse(joining_, "main does something else between joining one and joining the other", pc);
    }
    return;
  }
  if (execution.current->id != 0)
    refuse(other.id, "a thread other than main joins one of them", pc);
  if (joining_ == 0) {
    joining_ = family;
    unjoined_ = family_size_[family];
    result_ = other.result;
    results_differ_ = result_asked_ = false;
  } else if (joining_ != family) {
    refuse(joining_, "main does something else between joining one and joining the other", pc);
  }
  results_differ_ = results_differ_ || other.result != result_;
  result_asked_ = result_asked_ || asks;
  if (results_differ_ && result_asked_) {
    refuse(other.id, "main asks for their results, which differ", pc);
  }
  if (--unjoined_ == 0) joining_ = 0;
}

void Symmetry::detaches(unsigned thread, std::uint64_t pc) {
  if (has_twin(thread)) refuse(thread, "one of them is detached after it has been created", pc);
}

}  // namespace fencepost::checker
