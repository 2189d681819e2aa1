// SPDX-License-Identifier: MIT
// The program as it is when main has made its first threads (prefix.cpp).
#pragma once

#include <cstdint>

#include "execution/lifetimes/lifetimes.hpp"
#include "execution/lifetimes/reuse.hpp"
#include "execution/lifetimes/stack/scope_log.hpp"
#include "execution/lifetimes/stack/stacks.hpp"
#include "execution/lifetimes/uninitialised.hpp"
#include "execution/threads/thread.hpp"
#include "execution/threads/thread_specific.hpp"
#include "graph/bytes.hpp"
#include "memory/heap.hpp"
#include "sync/clocks.hpp"

namespace fencepost::checker {

class Prefix {
 public:
  // An execution begins: may it resume from there? Then it does, or main is called.
  bool may_resume();
  void resume();
  void main_begins();
  // Of main (execution/above.hpp).
  void makes_threads();
  void has_made_threads();
  // This execution is not one to keep.
  void lets_others_run() { stop_looking(); }
  // On the scheduler's stack, which main has gone to for that.
  void look_at();
  void forget();

  bool is_ending = false;  // main waits for it to be kept

 private:
  void stop_looking();
  bool is_fixed();
  bool is_worth_it();
  void keep();
  void resume_threads();
  bool differs_as_expected(const Bytes& kept, std::uintptr_t address);
  void compare();

  enum class Keeping : std::uint8_t {
    undecided,
    wanted,  // from the next execution that comes so far
    kept,
    never,
  };
  Keeping keeping_ = Keeping::undecided;
  bool is_traced_ = false;
  double begun_ = 0;
  std::uint64_t library_blocks_ = 0;  // as main began

  Thread main_{};
  // A thread that main has made, before it begins.
  struct Made {
    unsigned id;
    bool detached;
    bool joined;
    EventId created_by;
    void* (*entry)(void*);
    void* argument;
    std::uint64_t floating_point;
    std::size_t stack_wanted;
    std::uint64_t blocked_signals;
  };
  Array<Made> made_;
  std::uint32_t stack_used_ = 0;
  std::uint64_t entered_from_ = 0;
  std::uint64_t printed_ = 0;
  std::uint64_t trace_ = 0;
  bool lock_was_tried_ = false;
  bool main_returned_ = false;
  unsigned ending_process_ = kMaxThreads;
  Bytes globals_;    // one range behind the other
  Bytes variables_;  // thread-local ones
  Bytes stack_;      // up to its top
  Array<StackWrite> stack_writes_;
  Array<StackAtomic> stack_atomics_;
  ScopeLog scopes_;
  Array<StackBlock> stack_blocks_;
  Array<TimePassed> time_passed_;
  Array<FreedBlock> freed_;
  Array<ExitHandler> registered_;
  ThreadSpecific::Kept specific_;
  Array<EndOfLife> destroyed_;
  Array<UnwrittenRead> unwritten_reads_;
  Array<UnwrittenLocal> unwritten_locals_;
  // What is otherwise where fresh memory holds something else (uninitialised.cpp).
  struct Extent {
    std::uintptr_t address;
    std::size_t size;
  };
  struct Otherwise {
    bool is_known = false;
    Array<Extent> fresh;
  };
  Otherwise otherwise_[3];  // zeros, ones, large
  Otherwise& with(Heap::Contents contents) { return otherwise_[static_cast<int>(contents) - 1]; }
};

extern Prefix prefix;

}  // namespace fencepost::checker
