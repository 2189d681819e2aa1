// SPDX-License-Identifier: MIT
// Reads of memory that nobody has written, and what else could have been there (uninitialised.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "execution/accesses/values.hpp"
#include "execution/objects.hpp"
#include "execution/threads/thread.hpp"
#include "graph/event.hpp"
#include "graph/storage.hpp"
#include "memory/heap.hpp"

namespace fencepost::checker {

// A thread has read bytes of a heap block that nobody has written, or of an object that has been
// destroyed: in an execution, the first time that it does so there.
struct UnwrittenRead {
  std::uintptr_t address;
  std::size_t size;
  unsigned thread;
  std::uint64_t pc;
  std::uint64_t destroyed_at;  // a pc; 0: it was not
};

// A local variable that was given no first value.
struct UnwrittenLocal {
  std::uintptr_t address;
  std::size_t size;
};

// An initial value of an atomic object in such bytes.
struct UnwrittenValue {
  LocationId location;
  std::uint64_t value;
};

// How a thread was left when an execution was over.
struct LeftAs {
  ThreadState state;
  Block block;
  std::uint64_t pc;
};

class Uninitialised {
 public:
  void new_execution();

  // The current thread writes this to where the program does not read it.
  void prints(const void* text, std::size_t size);
  // A local variable without a first value, in memory; and the value of one in a register.
  void local_is_unwritten(std::uintptr_t address, std::size_t size);
  std::uint64_t unwritten_word(std::uint64_t pc);
  // The current thread reads what nobody has written, or nobody since the end of an object there.
  void note_read(std::uintptr_t address, std::size_t size, std::uint64_t pc,
                 std::uint64_t destroyed_at);

  // At the end of an execution: the initial values of atomic objects that are unwritten.
  void note_values();
  // Has this execution read what nobody has written so far?
  bool any_read() const;
  // The execution that has just ended has read what nobody has written. False if that matters: then
  // there is a violation, or no verdict.
  bool is_indifferent();

  // If the program is only following what is known, it has come to do something else.
  const UnwrittenRead* unwritten_read() const {
    return follows_only && !told_of_.empty() ? &told_of_[0] : nullptr;
  }
  void tell_of(const UnwrittenRead& read);
  // A thread is about to add an event in an execution to which nothing is to be added.
  [[gnu::noinline, gnu::cold]] void goes_beyond_graph(std::uint64_t pc);
  [[noreturn]] void does_otherwise();
  // A plain write to an atomic object, a local variable's first value, is another one now: does
  // that mean nothing?
  bool is_other_first_value(const PendingWrite& write, std::uint64_t value);

  // In this execution.
  Array<UnwrittenRead> reads;
  Array<UnwrittenLocal> locals;             // be they alive or not
  std::uint64_t printed[kMaxThreads] = {};  // a hash of what each thread has written out
  // What is known is only followed,
  bool follows_only = false;
  Array<FirstValue> first_values;  // ... as they were, of those that are other ones meanwhile

 private:
  bool is_unwritten(const Object& object, std::uint64_t initial);
  void set_values(Heap::Contents contents, std::uintptr_t begin, std::size_t size);
  bool does_otherwise_with(Heap::Contents contents, std::uintptr_t begin, std::size_t size);

  Array<UnwrittenRead> told_of_;  // in the one that is followed
  Array<UnwrittenValue> values_;
  bool did_otherwise_ = false;        // has the program done something else than what is known?
  LeftAs left_as_[kMaxThreads] = {};  // how it was left before
};

extern Uninitialised uninitialised;

}  // namespace fencepost::checker
