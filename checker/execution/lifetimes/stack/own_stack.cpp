// SPDX-License-Identifier: MIT
// A thread's stack, of which other threads know a part: local variables that are captured by
// reference, locks and atomic objects among them.
//
// Whether a loop is back where it was is seen from the stack (loops.cpp). But where others write to
// it, what lies there depends on how far they have come, which in the same graph may differ from
// run to run. So the stack is looked at as the thread knows it:
//
// - bytes that another thread has written plainly, in what does not happen before the thread's last
//   event, are taken as they were before that;
// - bytes of atomic objects are taken as they were before the first atomic access of the execution,
//   for their values are the graph's. If something else lies there than what was put there last,
//   the object is no more and its place is used for another variable; then it counts.
//
// And a variable that others look at is not the thread's own business: a loop that sets a flag and
// takes it back comes to the state that it had, but others may have seen the flag. That others look
// at a place is known once they do so, in any execution: from then on the thread's plain writes
// there are effects, as they are elsewhere. Where a loop has been cut already in the belief that
// nobody does, the search begins anew. Processes that share a search tell each other what they have
// come to know and to believe, as bits of a hash.
#include "execution/lifetimes/stack/own_stack.hpp"

#include <cstring>

#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/stack/stacks.hpp"
#include "graph/state_section.hpp"
#include "memory/hash.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {
namespace {

// A word as it lies in memory while another one is shown.
struct Shown {
  std::uintptr_t word;
  std::uint8_t mask;
  unsigned char memory[8];
};

FENCEPOST_CHECKER_STATE constinit Array<Shown> shown_words;

constexpr std::uintptr_t kWord = 8;

std::uintptr_t word_of(std::uintptr_t address) { return address & ~(kWord - 1); }

void* at(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

bool has_written(const Cell& cell, unsigned thread) {
  bool written = cell.overflowing;
  for (unsigned i = 0; i < cell.count; ++i) {
    written = written || (cell.access[i].write() && cell.access[i].thread() == thread);
  }
  return written;
}

unsigned whose_stack(std::uintptr_t address) {
  if (!regions::in_stacks(address)) return kMaxThreads;
  const unsigned id = regions::thread_of_stack(address);
  return id < execution.thread_count && on_own_stack(execution.threads[id], address) ? id
                                                                                     : kMaxThreads;
}

StackAtomic& stack_atomic(unsigned owner, std::uintptr_t word) {
  for (StackAtomic& a : stacks[owner].atomics) {
    if (a.word == word) return a;
  }
  return stacks[owner].atomics.push_back({word, 0, {}, {}});
}

}  // namespace

// The current thread comes to a plain access of some bytes of a word on another thread's stack.
void visit_stack(Cell* cell, std::uintptr_t address, std::uint8_t mask, bool write,
                 std::uint64_t pc) {
  const unsigned owner = whose_stack(address);
  if (owner == kMaxThreads) return;
  const std::uintptr_t word = word_of(address);
  if (!cell->visited) {
    cell->visited = true;
    execution.counters.visited.add(word);
    if (cell->believed_private) {
      if (execution.is_worker) {
        execution.unsupported(
            pc,
            "that a local variable of one thread is accessed by another was first met by "
            "one of several processes: explore with one job");
      }
      execution.start_over();
    }
    // Its writes so far were no effects, and will be: states would have other names in a second
    // run.
    if (plain_accesses.tracing && !execution.is_worker && has_written(*cell, owner))
      execution.start_over();
  }
  if (!write) return;
  Array<StackWrite>& writes = stacks[owner].writes;
  const auto by = static_cast<std::uint8_t>(execution.current->id);
  if (!writes.empty()) {
    const StackWrite& last = writes.back();
    if (last.word == word && last.thread == by && last.index == execution.current->cursor &&
        (mask & ~last.mask) == 0) {
      return;
    }
  }
  StackWrite w{word, {}, execution.current->cursor, by, mask};
  std::memcpy(w.before, at(word), kWord);
  writes.push_back(w);
}

// Sets bytes of an atomic object as an atomic access leaves them, or has left them.
void to_memory(std::uintptr_t address, unsigned size, Value value) {
  unsigned char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  const unsigned owner = whose_stack(address);
  StackAtomic* there = nullptr;
  for (unsigned i = 0; owner != kMaxThreads && i < size; ++i) {
    const std::uintptr_t word = word_of(address + i);
    if (there == nullptr || there->word != word) there = &stack_atomic(owner, word);
    const unsigned byte = (address + i) % kWord;
    if ((there->mask >> byte & 1) == 0) {
      there->mask |= static_cast<std::uint8_t>(1U << byte);
      std::memcpy(&there->first[byte], at(address + i), 1);
    }
    there->last[byte] = bytes[i];
  }
  copy_bytes(at(address), bytes, size);
}

// A hash of the current thread's stack from an address up, as the thread knows it.
std::uint64_t hash_own_stack(std::uint64_t h, std::uintptr_t from) {
  const Thread& t = *execution.current;
  const Array<StackWrite>& writes = stacks[t.id].writes;
  const Array<StackAtomic>& atomics = stacks[t.id].atomics;
  if (writes.empty() && atomics.empty()) return hash_memory(h, from, t.stack_top);
  Array<Shown>& shown = shown_words;
  shown.clear();
  const auto show = [&](std::uintptr_t word) -> Shown& {
    for (Shown& s : shown) {
      if (s.word == word) return s;
    }
    Shown& s = shown.push_back({word, 0, {}});
    std::memcpy(s.memory, at(word), kWord);
    return s;
  };
  const Graph::Clock known = execution.clock();
  for (const StackWrite& w : writes) {
    if (w.word < from || known[w.thread] > w.index) continue;
    Shown& s = show(w.word);
    for (unsigned i = 0; i < kWord; ++i) {
      if ((w.mask >> i & 1) == 0 || (s.mask >> i & 1) != 0) continue;
      std::memcpy(at(w.word + i), &w.before[i], 1);
    }
    s.mask |= w.mask;
  }
  for (const StackAtomic& a : atomics) {
    if (a.word < from) continue;
    const Shown& s = show(a.word);
    unsigned other = 0;  // bytes that are an atomic object's no more
    for (unsigned i = 0; i < kWord; ++i) {
      if ((a.mask >> i & 1) == 0) continue;
      if (s.memory[i] == a.last[i]) {
        std::memcpy(at(a.word + i), &a.first[i], 1);
      } else {
        other |= 1U << i;
      }
    }
    if (other != 0) h = mix(h ^ a.word, other);
  }
  h = hash_memory(h, from, t.stack_top);
  for (const Shown& s : shown) std::memcpy(at(s.word), s.memory, kWord);
  return h;
}

// The current thread is cut off in a loop that began with its event `since`, believing that nobody
// else looks at what it has written to its stack in between.
void believe_private(std::uint32_t since) {
  const Thread& t = *execution.current;
  for (std::uintptr_t word = word_of(t.deepest_write); word < t.stack_top; word += kWord) {
    bool fresh;
    Cell* cell = execution.shadow.cell(word, &fresh);
    if (fresh || cell->believed_private) continue;
    bool written = cell->overflowing;
    for (unsigned i = 0; i < cell->count; ++i) {
      const PlainAccess& a = cell->access[i];
      written = written || (a.write() && a.thread() == t.id && a.index() > since);
    }
    if (!written) continue;
    cell->believed_private = true;
    execution.counters.believed_private.add(word);
  }
}

bool written_unannounced(std::uintptr_t address, Value before, Value found) {
  if (before == found || !on_own_stack(*execution.current, address)) return false;
  // If others have written there, what the thread finds need not be what lies there.
  const Event& e = execution.graph().at(execution.last_event());
  for (LocationId id = e.location; id <= e.location + e.more; ++id) {
    for (EventId w : execution.graph().location(id).writes) {
      if (w.thread() != execution.current->id) return false;
    }
  }
  return true;
}

}  // namespace fencepost::checker
