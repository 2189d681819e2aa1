// SPDX-License-Identifier: MIT
// What the executions that were explored have shown of each operation of the program: how a
// compare-exchange ended, whether a load read different values, whether what it read was ever
// overwritten. A program that holds shows nothing of what no execution of it does.
//
// Of atomic operations looked at are the ends of executions, complete and blocked ones: all that
// was read before a thread was stopped in a loop counts as seen. Plain memory is looked at as it is
// accessed: whether what a thread wrote and another one read was overwritten. Where that cannot be
// told, it counts as overwritten, for what is claimed of a program is what it never does.
#pragma once

#include <cstdint>

#include "graph/graph.hpp"
#include "memory/shadow.hpp"

namespace fencepost::checker {

enum Outcome : std::uint8_t {
  kSucceeds = 1,      // a compare-exchange, or an attempt at a lock or a semaphore
  kFails = 2,         // ... found something else
  kSleeps = 4,        // a wait on a futex
  kVaries = 8,        // a load: not always the same value
  kAmongOthers = 64,  // ... while others could still write
  kReadsStored = 16,  // ... and a value that was stored
  kOverwritten = 32,  // ... and somebody did
};

struct CoveredSite {
  std::uint64_t pc;
  std::uint64_t value;  // of a load: what it read first
  Operation what;
  std::uint8_t shown;
};

class Coverage {
 public:
  // Takes in an execution that has ended.
  void note(Graph& g);

  // An execution begins.
  void begin() { passed_on_.clear(); }
  // A plain access. `others`: other threads are there that have not ended.
  void note_plain(Cell* cell, const PlainAccess& access, const Graph& g, bool others);
  // Of a read: is all known that is asked?
  bool is_overwritten(std::uint64_t pc) const;
  // Is there nothing to note of this access?
  static bool is_private(const Cell* cell, const PlainAccess& access) {
    if (access.write()) return !cell->passed_on;
    return cell->count == 0 || (cell->count == 1 && cell->access[0].thread() == access.thread());
  }

  // By address, in no particular order; pc 0 is a free slot.
  const Array<CoveredSite>& table() const { return table_; }

 private:
  // What a thread has read that another one wrote, in this execution.
  struct PassedOn {
    const Cell* cell;
    std::uint64_t pc;
    std::uint8_t mask;
  };

  CoveredSite& at(std::uint64_t pc, Operation what, std::uint64_t value);
  CoveredSite& at(const Event& e) { return at(e.pc, e.what, e.value); }
  void note_plain_read(Cell* cell, const PlainAccess& read, const Graph& g);
  void note_load(Graph& g, EventId read, CoveredSite* site);
  void grow();

  Array<CoveredSite> table_;  // open addressing
  Array<PassedOn> passed_on_;
  std::uint32_t used_ = 0;
};

extern Coverage coverage;

}  // namespace fencepost::checker
