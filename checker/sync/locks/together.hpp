// SPDX-License-Identifier: MIT
// Mutexes that are taken together: std::lock and std::scoped_lock.
//
// The standard has them lock all by some sequence of locking, trying and unlocking that does not
// end in a deadlock. What comes of such a sequence is that its last round takes one mutex, waits
// for it if need be, and then the others without waiting. Rounds before it take mutexes and give
// them back: as long as nobody tries these mutexes, nobody can tell, and without them less is
// ordered. So a thread either takes all in the order in which they are given; where it would have
// to wait with a mutex in its hands, this is no round of such a sequence, and who then waits for
// whom says nothing. Or it waits for another one first, which matters only if it waits for ever.
//
// Where somebody tries one of the mutexes it may find it held in a round that comes to nothing.
// Then all are taken by the C++ library's own code.
#pragma once

#include <cstdint>

#include "execution/threads/thread.hpp"
#include "graph/storage.hpp"

namespace fencepost::checker {

class TakenTogether {
 public:
  void new_execution();

  // The current thread is to take these. Which one alone, as number + 1; `count` + 1: all in their
  // order; 0: by the library's code.
  unsigned begin(const std::uintptr_t* mutexes, unsigned count, std::uint64_t pc);
  // It has the first of all, or all.
  void has_first();
  void has_all();
  // It has the one that it was to take alone, and would go on as in another execution.
  [[noreturn]] void has_one(std::uint64_t pc);

  // The current thread has tried a mutex in vain, or waits for it for a while. Where somebody who
  // takes several has it, that one has begun before.
  void is_tried(std::uintptr_t mutex, std::uint64_t pc);
  // Has the thread some and not all?
  bool has_some(const Thread& t) const { return (in_between_ >> t.id & 1) != 0; }

 private:
  bool has_been_taken(std::uintptr_t mutex) const;

  bool uses_code_ = false;  // from one execution to the next
  std::uint64_t in_between_ = 0;
  Array<std::uintptr_t> taken_;
};

extern TakenTogether taken_together;

}  // namespace fencepost::checker
