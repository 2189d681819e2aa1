// SPDX-License-Identifier: MIT
// Identical threads (--symmetry): which ones are, and whether they stay so.
//
// Twins are threads that `main` creates directly one after the other, with the same function, the
// same argument and the same attributes. To have the same argument is to have the same pointer; of
// std::thread, whose argument is an object that the thread alone owns, the same bytes in it. If
// nothing tells them apart, each execution remains one when they are exchanged, and one of each
// class is explored (explore/symmetry.hpp).
//
// What could tell them apart is watched for in every execution, and refused by name:
//
// - the thread asks for its own number (pthread_self, gettid), or creates threads;
// - it stores an address of its own where others may find it: of its stack, its thread-local
//   variables, its heap. (Memory of its own it may fill with them. Heap addresses are of the
//   thread that allocates.);
// - it does something else than its twin although both have read the same, so it has computed with
//   such an address;
// - `main` does not treat them alike: it accesses memory between their creations that another
//   thread accesses, too; it does anything between their joins but join the others; it asks for
//   their results, and they differ; it detaches one; another thread joins one.
//
// What is not watched for is said in the certificate: an address that decides what a thread does
// (the order of two, a hash) after it has read something else than its twin.
#pragma once

#include <cstddef>
#include <cstdint>

#include "execution/threads/thread.hpp"
#include "graph/storage.hpp"

namespace fencepost::checker {

// What a thread is created from.
struct Birth {
  void* (*entry)(void*);
  void* argument;
  bool owned;  // the argument is a heap block that nobody else has
  bool detached;
  std::size_t stack = 0;  // how much of it is wanted, 0: as others have
};

class Symmetry {
 public:
  void new_execution();

  // `main` is about to create this thread: the number of its elder twin, 0 if it has none.
  unsigned elder(unsigned thread, const Birth& birth);
  // A thread has been created.
  void created(unsigned by, unsigned thread, unsigned elder, const Birth& birth, std::uint64_t pc);

  // The current thread goes on after its last event, to one of this kind.
  void goes_on(Kind kind, Operation what, std::uint64_t pc);
  // It does not, for the time being or for good.
  void stops();
  // It accesses memory.
  void accesses(std::uintptr_t address, std::size_t size, bool write, std::uint64_t pc);
  // It asks for its own number.
  void asks_for_itself(std::uint64_t pc);
  // It has joined this thread. `asks`: for its result.
  void joined(const Thread& other, bool asks, std::uint64_t pc);
  // It detaches this thread.
  void detaches(unsigned thread, std::uint64_t pc);

 private:
  struct Range {
    std::uintptr_t begin;
    std::uintptr_t end;
    bool written;
  };

  bool has_twin(unsigned thread) const { return family_size_[family_[thread]] > 1; }
  bool owns(unsigned thread, std::uintptr_t address) const;
  void look_at_stored(std::uint64_t pc);
  void compare(const Thread& t, std::uint64_t pc);
  [[noreturn]] void refuse(unsigned thread, const char* why, std::uint64_t pc);

  // Of this execution. A family is named by its eldest.
  std::uint8_t family_[kMaxThreads] = {};
  std::uint8_t family_size_[kMaxThreads] = {};
  bool told_apart_[kMaxThreads] = {};
  Birth births_[kMaxThreads] = {};
  Array<char> owned_[kMaxThreads];  // what was in the argument at birth
  struct Stored {
    std::uintptr_t address;
    std::size_t size;
  } stored_[kMaxThreads] = {};  // announced, but not done yet; size 0: nothing
  unsigned joining_ = 0;        // the family of which main has joined some, but not all
  unsigned unjoined_ = 0;
  void* result_ = nullptr;  // of the first that was joined
  bool results_differ_ = false;
  bool result_asked_ = false;
  Array<Range> since_creation_;  // main's accesses since it created a thread

  // Of all executions: main's accesses between the creations of twins.
  Array<Range> between_;
};

}  // namespace fencepost::checker
