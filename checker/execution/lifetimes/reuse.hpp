// SPDX-License-Identifier: MIT
// Memory that is given out again: reuse.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/bytes.hpp"
#include "graph/event.hpp"
#include "graph/storage.hpp"

namespace fencepost::checker {

// Is an allocation given what was freed? By default where that can matter: blocks of a size that
// some compare-exchange expects the address of.
enum class Reuse : std::uint8_t { where_compared, always, never };

// Blocks of one class are as good for each other.
constexpr std::uint32_t size_class(std::size_t size) {
  return static_cast<std::uint32_t>((size + 15) / 16);
}

// What executions have shown of blocks of a size class; those of large ones have one in common. As
// the search goes on only what has `now` in its name counts: to learn more is to begin anew.
struct SizeClass {
  static constexpr unsigned kClasses = 64;
  static constexpr unsigned kMostFrees = 200;
  bool freed;     // memory of it is freed,
  bool compared;  // and a compare-exchange expects an address of it
  bool given_now;
  // Frees by each thread that others may not know of, by number: how many there can be.
  std::uint8_t frees[kMaxThreads];
  std::uint8_t frees_now[kMaxThreads];

  static unsigned number(std::uint32_t size_class) {
    return size_class < kClasses ? size_class : kClasses - 1;
  }
};

// A block that a thread has freed in this execution.
struct FreedBlock {
  std::uintptr_t address;
  std::uint32_t size_class;
  std::uint32_t at;        // events of that thread before it did
  std::uint32_t taken_at;  // the same of the thread that was given it,
  std::uint8_t taken_by;   // kMaxThreads if there is none yet
};

// One that an allocation may be given: the thread that frees it, and how many of that size class it
// has freed before.
struct FreedOffer {
  unsigned thread;
  std::uint32_t number;
  bool known;  // to the current thread, by happens-before
};

// What has been freed, and what executions have shown of that.
class FreedMemory {
 public:
  // The current thread has freed a block that was allocated in this execution.
  void add(std::uintptr_t address, std::size_t size, std::uint64_t pc);
  // A block that was freed, of this size and alignment, if it is to be given out again; nullptr if
  // not.
  void* give(std::size_t size, std::size_t alignment, std::uint64_t pc);
  // By a compare-exchange, which expects this.
  void is_compared(std::uint64_t value);
  // Is some memory given out again?
  bool is_given() const;
  // Does somebody still wait for memory that nobody has freed?
  bool is_waited_for() const;
  // The search begins anew.
  void use_what_was_learned();

  // What is offered must be the same where the search goes on. False: that was not written so.
  void write(Bytes* out) const;
  bool read(BytesIn* in);

  Array<FreedBlock> freed[kMaxThreads];  // by thread in this execution, in this order

 private:
  void learn();
  void learn_if_given(const SizeClass& c);
  template <typename Visit>
  void each_offer(std::uint32_t blocks, std::size_t alignment, Visit visit);
  FreedBlock* block_of(const FreedOffer& offer, std::uint32_t blocks);
  void wait_for_free(const FreedOffer& offer, std::uint32_t blocks, std::uint64_t pc);

  SizeClass size_classes_[SizeClass::kClasses] = {};
};

extern FreedMemory freed_memory;

}  // namespace fencepost::checker
