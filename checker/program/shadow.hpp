// SPDX-License-Identifier: MIT
// What is known about each eight bytes of the program's memory: who accessed them plainly since
// when, and which atomic objects lie there.
//
// Races are found exactly (FastTrack, Flanagan and Freund 2009, byte by byte): an access is kept
// until a later one, ordered after it, makes it redundant.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/graph.hpp"
#include "program/regions.hpp"

namespace fencepost::checker {

struct PlainAccess {
  std::uint32_t index;  // events of its thread before it
  std::uint8_t thread;
  std::uint8_t mask;  // bytes of the cell
  bool write;
  bool free;  // the deallocation of the block
  std::uint64_t pc;
};

struct Cell {
  static constexpr unsigned kInline = 3;
  std::uint32_t execution;  // the accesses are of this execution
  std::uint8_t count;
  bool overflowing;
  // Of a word of a stack, kept across executions (own_stack.cpp).
  bool visited;               // another thread has accessed it
  bool believed_private;      // a loop was cut as if none did
  std::uint16_t location[8];  // atomic object at each byte, 0: none; kept across executions
  PlainAccess access[kInline];
};

class Shadow {
 public:
  // `data`: the writable data of the executable.
  void initialise(std::uintptr_t data_begin, std::uintptr_t data_end);
  void new_execution();

  bool covers(std::uintptr_t address) const;
  // The cell of an address; nullptr for memory that is not tracked. `fresh`: it has no accesses in
  // this execution yet.
  Cell* cell(std::uintptr_t address, bool* fresh) {
    Cell* c;
    if (address - data_begin_ < data_end_ - data_begin_) {
      c = data_cells_ + (address - data_begin_) / 8;
    } else if (address - regions::kBase < regions::kEnd - regions::kBase) {
      c = region_cells_ + (address - regions::kBase) / 8;
    } else {
      *fresh = false;
      return nullptr;
    }
    *fresh = c->execution != execution_;
    if (*fresh) {
      c->execution = execution_;
      c->count = 0;
      c->overflowing = false;
    }
    return c;
  }

  // Records an access to a cell that nobody has accessed, or that its thread alone has accessed
  // likewise: where there is nothing to race with. False if others have to be looked at.
  bool record_at_once(Cell* cell, const PlainAccess& access) {
    if (cell->count == 0) {
      if (cell->overflowing) return false;
      cell->count = 1;
    } else {
      const PlainAccess& last = cell->access[0];
      if (cell->count != 1 || last.thread != access.thread || last.mask != access.mask ||
          last.free || cell->overflowing || (last.write && !access.write)) {
        return false;
      }
    }
    cell->access[0] = access;
    return true;
  }
  // Records an access, or returns one that races with it. `clock` is the happens-before clock of
  // the accessing thread.
  const PlainAccess* record(Cell* cell, const PlainAccess& access, Graph::Clock clock);
  // An atomic access: returns a plain one that races with it, or nullptr.
  const PlainAccess* conflict(const Cell* cell, const PlainAccess& access,
                              Graph::Clock clock) const;
  // Calls `found` with each access that races with this one.
  template <typename Found>
  void each_conflict(const Cell* cell, const PlainAccess& access, Graph::Clock clock,
                     Found found) const {
    for (unsigned i = 0; i < cell->count; ++i) {
      if (races(cell->access[i], access, clock)) found(cell->access[i]);
    }
    for (std::uint32_t i = 0; cell->overflowing && i < extra_.size(); ++i) {
      const Extra& e = extra_[i];
      if (e.cell == cell && races(e.access, access, clock)) found(e.access);
    }
  }
  // Records an access, whatever it races with.
  void keep(Cell* cell, const PlainAccess& access, Graph::Clock clock);

 private:
  static bool races(const PlainAccess& earlier, const PlainAccess& now, Graph::Clock clock) {
    if ((earlier.mask & now.mask) == 0) return false;
    if (earlier.free) return true;  // no order makes freed memory fit for use
    return (earlier.write || now.write) && earlier.thread != now.thread &&
           clock[earlier.thread] <= earlier.index;
  }
  void append(Cell* cell, unsigned count, const PlainAccess& access);
  [[gnu::noinline, gnu::cold]] void overflow(Cell* cell, const PlainAccess& access);
  struct Extra {
    const Cell* cell;
    PlainAccess access;
  };
  std::uintptr_t data_begin_ = 0;
  std::uintptr_t data_end_ = 0;
  Cell* data_cells_ = nullptr;
  Cell* region_cells_ = nullptr;
  std::uint32_t execution_ = 0;
  Array<Extra> extra_;
};

}  // namespace fencepost::checker
