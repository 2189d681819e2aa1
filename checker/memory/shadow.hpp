// SPDX-License-Identifier: MIT
// What is known about each eight bytes of the program's memory: who accessed them plainly since
// when, and which atomic objects lie there.
//
// Races are found exactly (FastTrack, Flanagan and Freund 2009, byte by byte): an access is kept
// until a later one, ordered after it, makes it redundant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "graph/graph.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {

// A plain access in two words, which are never taken apart in memory: what is written there in
// other pieces than it is read makes the processor wait.
class PlainAccess {
 public:
  static PlainAccess of(std::uint32_t index, unsigned thread, std::uint8_t mask, bool write,
                        std::uint64_t pc) {
    PlainAccess a;
    a.what_ = index | std::uint64_t{thread} << kThread | std::uint64_t{mask} << kMask |
              static_cast<std::uint64_t>(write) << kWrite;
    a.pc = pc;
    return a;
  }
  // The deallocation of a block, or the end of an object: a write that no order makes fit for use.
  static PlainAccess end(std::uint32_t index, unsigned thread, std::uint8_t mask,
                         std::uint64_t pc) {
    PlainAccess a = of(index, thread, mask, true, pc);
    a.what_ |= std::uint64_t{1} << kFree;
    return a;
  }
  // The end of an object, whose memory others may use after that.
  static PlainAccess end_of_object(std::uint32_t index, unsigned thread, std::uint8_t mask,
                                   std::uint64_t pc) {
    PlainAccess a = of(index, thread, mask, true, pc);
    a.what_ |= std::uint64_t{1} << kObject;
    return a;
  }
  // What needs the object and accesses nothing of it: it races with the object's end alone.
  static PlainAccess use(std::uint32_t index, unsigned thread, std::uint8_t mask,
                         std::uint64_t pc) {
    PlainAccess a = of(index, thread, mask, false, pc);
    a.what_ |= std::uint64_t{1} << kUse;
    return a;
  }

  // Events of its thread before it.
  std::uint32_t index() const { return static_cast<std::uint32_t>(what_); }
  std::uint8_t thread() const { return static_cast<std::uint8_t>(what_ >> kThread); }
  // Bytes of the cell.
  std::uint8_t mask() const { return static_cast<std::uint8_t>(what_ >> kMask); }
  bool write() const { return (what_ >> kWrite & 1) != 0; }
  bool free() const { return (what_ >> kFree & 1) != 0; }
  bool use() const { return (what_ >> kUse & 1) != 0; }
  bool ends_object() const { return (what_ >> kObject & 1) != 0; }

  std::uint64_t pc;

 private:
  static constexpr unsigned kThread = 32;
  static constexpr unsigned kMask = 40;
  static constexpr unsigned kWrite = 48;
  static constexpr unsigned kFree = 49;
  static constexpr unsigned kUse = 50;
  static constexpr unsigned kObject = 51;
  std::uint64_t what_;
};

// Bytes of a cell.
constexpr std::uint8_t byte_mask(unsigned offset, std::size_t count) {
  return static_cast<std::uint8_t>(((1U << count) - 1) << offset);
}

// Bytes of the cell of an address that lie in an object.
constexpr std::uint8_t bytes_in(std::uintptr_t address, std::uintptr_t object, std::size_t size) {
  const std::uintptr_t first = address & ~std::uintptr_t{7};
  if (first >= object && first + 8 <= object + size) return 0xff;
  std::uint8_t mask = 0;
  for (unsigned b = 0; b < 8; ++b) {
    if (first + b - object < size) mask |= byte_mask(b, 1);
  }
  return mask;
}

// An atomic access in the terms of plain ones.
inline PlainAccess as_access(EventId e) {
  return PlainAccess::of(e.index(), e.thread(), 0, false, 0);
}

struct Cell {
  static constexpr unsigned kInline = 3;
  std::uint32_t execution;  // the accesses are of this execution
  std::uint8_t count : 2;
  bool overflowing : 1;
  bool passed_on : 1;  // a thread has read what another one wrote: coverage.hpp
  // Of a word of a stack, kept across executions (own_stack.cpp).
  bool visited : 1;           // another thread has accessed it
  bool believed_private : 1;  // a loop was cut as if none did
  std::uint8_t unwritten;     // bytes of a heap block that nobody has written in this execution
  std::uint16_t readers;      // who has read it and is not among the accesses, 0: nobody ever
  std::uint16_t location[8];  // atomic object at each byte, 0: none; kept across executions
  PlainAccess access[kInline];

  bool has_objects() const {
    std::uint64_t halves[2];
    static_assert(sizeof halves == sizeof location);
    std::memcpy(halves, location, sizeof halves);
    return (halves[0] | halves[1]) != 0;
  }
};

class Shadow {
 public:
  // `data`: the writable data of the executable.
  void initialise(std::uintptr_t data_begin, std::uintptr_t data_end);
  void new_execution(bool resumes);
  // What is known now of the execution that is under way will be known again when one resumes from
  // here: prefix.cpp.
  void keep_prefix();
  void forget_prefix();

  bool covers(std::uintptr_t address) const;
  // The cell of an address, for what is kept across executions; nullptr for memory that is not
  // tracked.
  Cell* find(std::uintptr_t address) {
    if (address - data_begin_ < data_end_ - data_begin_) {
      return data_cells_ + (address - data_begin_) / 8;
    }
    if (address - regions::kBase < regions::kEnd - regions::kBase) {
      return region_cells_ + (address - regions::kBase) / 8;
    }
    return nullptr;
  }
  // Has nobody accessed it in this execution?
  bool is_fresh(const Cell* cell) const {
    return cell->execution != execution_ && !(resumed_ && cell->execution == kept_);
  }
  // The cell of an address that is about to be accessed. `fresh`: nobody has done so in this
  // execution yet.
  Cell* cell(std::uintptr_t address, bool* fresh) {
    Cell* c = find(address);
    if (c == nullptr) {
      *fresh = false;
      return nullptr;
    }
    *fresh = c->execution != execution_;
    if (*fresh) {
      if (c->execution == kept_ && takes_up(c)) {
        *fresh = false;
        return c;
      }
      c->execution = execution_;
      c->count = 0;
      c->overflowing = false;
      c->unwritten = 0;
      c->passed_on = false;
    }
    return c;
  }

  // Records an access, or returns one that races with it. `clock` gives the happens-before clock of
  // the accessing thread, and is called only where somebody else has been.
  template <typename ClockOf>
  [[gnu::always_inline]] const PlainAccess* record(Cell* cell, PlainAccess access, ClockOf clock) {
    if (cell->overflowing || cell->count > 1 || (access.write() && cell->readers != 0)) {
      return record_beside(cell, access, clock());
    }
    PlainAccess& only = cell->access[0];
    if (cell->count == 1) {
      if (adds_nothing(access, only)) return nullptr;
      if (only.thread() != access.thread() || only.free()) {
        const Graph::Clock known = clock();
        if (races(only, access, known)) return &only;
        if (!replaces(access, only, known)) return record_second(cell, access);
      } else if (!covers(access, only)) {
        return record_second(cell, access);
      }
    }
    only = access;
    cell->count = 1;
    return nullptr;
  }
  // Records a read of what every thread reads that comes by, a word of a lock, in a place of its
  // thread's own. False if it races, or this cannot be done: then nothing has been recorded.
  bool record_reader(Cell* cell, PlainAccess access, Graph::Clock clock);
  // The same, if others have been there and nobody in another way; false, and nothing done, if not.
  bool record_next_reader(std::uintptr_t address, PlainAccess access) {
    Cell* cell = find(address);
    if (cell == nullptr || cell->readers == 0 || is_fresh(cell) || cell->has_objects() ||
        cell->count != 0 || cell->overflowing) {
      return false;
    }
    Readers& r = readers_[cell->readers];
    if (r.execution != execution_ || r.mask != access.mask()) return false;
    r.add(access);
    return true;
  }
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
    if (cell->readers == 0) return;
    const Readers& r = readers_[cell->readers];
    for (std::uint64_t left = threads_of(r); left != 0; left &= left - 1) {
      const PlainAccess read = r.read_by(static_cast<unsigned>(__builtin_ctzll(left)));
      if (races(read, access, clock)) found(read);
    }
  }
  // Is what is recorded there one access of this thread, with which nothing of its own races?
  static bool has_only_one_of(const Cell* cell, unsigned thread) {
    return cell->count == 1 && !cell->overflowing && cell->readers == 0 &&
           cell->access[0].thread() == thread && !cell->access[0].free();
  }
  // The end of an object in one of these bytes, which nobody has written since; or nullptr.
  const PlainAccess* end_of_object(const Cell* cell, std::uint8_t mask) const {
    const auto is_one = [&](const PlainAccess& a) {
      return a.ends_object() && (a.mask() & mask) != 0;
    };
    for (unsigned i = 0; i < cell->count; ++i) {
      if (is_one(cell->access[i])) return &cell->access[i];
    }
    for (std::uint32_t i = 0; cell->overflowing && i < extra_.size(); ++i) {
      if (extra_[i].cell == cell && is_one(extra_[i].access)) return &extra_[i].access;
    }
    return nullptr;
  }
  // Records a use: it takes the place of none but the same thread's last.
  void record_use(Cell* cell, PlainAccess use);
  // Nobody has accessed it, as far as others are concerned.
  void forget(Cell* cell);
  // Records an access, whatever it races with.
  void keep(Cell* cell, PlainAccess access, Graph::Clock clock) {
    if (cell->count == 1 && replaces(access, cell->access[0], clock)) {
      cell->access[0] = access;
    } else {
      keep_beside(cell, access, clock);
    }
  }

 private:
  [[gnu::always_inline]] static bool races(PlainAccess earlier, PlainAccess now,
                                           Graph::Clock clock) {
    if ((earlier.mask() & now.mask()) == 0) return false;
    if (earlier.free()) return true;  // no order makes freed memory fit for use
    return (earlier.write() || now.write()) && earlier.thread() != now.thread() &&
           clock[earlier.thread()] <= earlier.index() && !now.use() &&
           (!earlier.use() || now.free() || now.ends_object());
  }
  // Does `now` race with whatever `earlier` races with, as far as bytes and kinds of access go?
  [[gnu::always_inline]] static bool covers(PlainAccess now, PlainAccess earlier) {
    return (earlier.mask() & ~now.mask()) == 0 && (!earlier.write() || now.write()) &&
           !earlier.free();
  }
  // Once `now` is recorded, can nothing race with `earlier` that does not race with `now`?
  [[gnu::always_inline]] static bool replaces(PlainAccess now, PlainAccess earlier,
                                              Graph::Clock clock) {
    return covers(now, earlier) &&
           (earlier.thread() == now.thread() || clock[earlier.thread()] > earlier.index());
  }
  // Can nothing race with `now` that does not race with `earlier`? A thread reads what it has just
  // written.
  [[gnu::always_inline]] static bool adds_nothing(PlainAccess now, PlainAccess earlier) {
    return earlier.write() && !now.write() && earlier.thread() == now.thread() &&
           earlier.index() == now.index() && (now.mask() & ~earlier.mask()) == 0 && !earlier.free();
  }
  void keep_beside(Cell* cell, PlainAccess access, Graph::Clock clock);
  static const PlainAccess* record_second(Cell* cell, PlainAccess access) {
    cell->access[1] = access;
    cell->count = 2;
    return nullptr;
  }
  const PlainAccess* record_beside(Cell* cell, PlainAccess access, Graph::Clock clock);
  void append(Cell* cell, unsigned count, PlainAccess access);
  [[gnu::noinline]] bool takes_up(Cell* cell);
  [[gnu::noinline, gnu::cold]] void overflow(Cell* cell, PlainAccess access);
  // The last read of each thread.
  struct Readers {
    std::uint32_t execution;
    std::uint8_t mask;
    std::uint64_t threads;
    std::uint32_t index[kMaxThreads];
    std::uint64_t pc[kMaxThreads];

    void add(PlainAccess read) {
      threads |= std::uint64_t{1} << read.thread();
      index[read.thread()] = read.index();
      pc[read.thread()] = read.pc;
    }
    PlainAccess read_by(unsigned thread) const {
      return PlainAccess::of(index[thread], thread, mask, false, pc[thread]);
    }
  };
  std::uint64_t threads_of(const Readers& r) const {
    return r.execution == execution_ ? r.threads : 0;
  }
  struct Extra {
    const Cell* cell;
    PlainAccess access;
  };
  std::uintptr_t data_begin_ = 0;
  std::uintptr_t data_end_ = 0;
  Cell* data_cells_ = nullptr;
  Cell* region_cells_ = nullptr;
  std::uint32_t execution_ = 0;
  static constexpr std::uint32_t kNone = ~0U;
  std::uint32_t kept_ = kNone;  // cells of this execution are those of the prefix
  bool resumed_ = false;        // ... which is that of the execution under way
  // A cell of the prefix, as it was. Nothing is said of what is kept across executions.
  struct Changed {
    Cell* cell;
    std::uint8_t count;
    bool overflowing;
    bool passed_on;
    std::uint8_t unwritten;
    PlainAccess first;
  };
  Array<Changed> changed_;      // since
  Array<PlainAccess> further_;  // their accesses but the first, one cell's behind the other's
  Array<Extra> extra_;
  Array<Extra> kept_extra_;
  Array<Readers> readers_;
  mutable PlainAccess found_{};
};

}  // namespace fencepost::checker
