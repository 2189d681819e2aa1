// SPDX-License-Identifier: MIT
// The program as it is when main makes its first thread (prefix.cpp).
#pragma once

#include <cstdint>

#include "execution/thread.hpp"
#include "graph/bytes.hpp"
#include "memory/heap.hpp"
#include "memory/lifetimes.hpp"
#include "memory/reuse.hpp"
#include "memory/stack/scope_log.hpp"
#include "memory/stack/stacks.hpp"
#include "memory/uninitialised.hpp"
#include "sync/clocks.hpp"

namespace fencepost::checker {

struct Prefix {
  // An execution begins: may it resume from there? Then it does, or main is called.
  bool may_resume();
  void resume();
  void main_begins();
  // Main makes its first thread.
  void end();
  // On the scheduler's stack, which main has gone to for that.
  void look_at();
  void forget();

  bool runs_whole = false;  // the next execution, from the beginning of main on
  bool is_alone = false;    // main has made no thread yet, and is not to be kept as it is now

  enum class Keeping : std::uint8_t {
    undecided,
    wanted,  // from the next execution that comes so far
    kept,
    never,
  };
  Keeping keeping = Keeping::undecided;
  bool is_ending = false;  // main waits for it to be kept
  bool is_traced = false;
  double begun = 0;

  Thread main{};
  std::uint32_t stack_used = 0;
  std::uint64_t entered_from = 0;
  std::uint64_t printed = 0;
  std::uint64_t trace = 0;
  bool lock_was_tried = false;
  Bytes globals;    // one range behind the other
  Bytes variables;  // thread-local ones
  Bytes stack;      // up to its top
  Array<StackWrite> stack_writes;
  Array<StackAtomic> stack_atomics;
  ScopeLog scopes;
  Array<StackBlock> stack_blocks;
  Array<TimePassed> time_passed;
  Array<FreedBlock> freed;
  Array<ExitHandler> registered;
  Array<EndOfLife> destroyed;
  Array<UnwrittenRead> unwritten_reads;
  Array<UnwrittenLocal> unwritten_locals;
  // What is otherwise where fresh memory holds something else (uninitialised.cpp).
  struct Extent {
    std::uintptr_t address;
    std::size_t size;
  };
  struct Otherwise {
    bool is_known = false;
    Array<Extent> fresh;
  };
  Otherwise otherwise[3];  // zeros, ones, large
  Otherwise& with(Heap::Contents contents) { return otherwise[static_cast<int>(contents) - 1]; }

 private:
  bool is_fixed();
  void keep();
  bool differs_as_expected(const Bytes& kept, std::uintptr_t address);
  void compare();
};

extern Prefix prefix;

}  // namespace fencepost::checker
