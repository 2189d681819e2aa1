// SPDX-License-Identifier: MIT
// What the program has at an address: atomic objects, locks, queues, and pieces of memory that is
// accessed in different sizes. By object, the graph has a location.
#pragma once

#include <cstdint>

#include "execution/execution.hpp"
#include "explore/explorer.hpp"
#include "graph/event.hpp"
#include "graph/mixed_size.hpp"
#include "graph/storage.hpp"

namespace fencepost::checker {

// What lies at an address. A mutex, a futex queue and an atomic object may share one.
enum class ObjectKind : std::uint8_t {
  atomic,
  mutex,
  futex_queue,
  condition,
  membarrier,
  spin_lock,
  rwlock,       // several words, each a location of its own: read_write_locks.cpp
  rwlock_word,  // one that is one word
  semaphore,
  latch,
  exit_handlers,
};

struct Object {
  std::uintptr_t address;
  std::uint8_t size;
  ObjectKind kind;
};

// Sixteen bytes that are accessed in different sizes: bit i, a piece begins at byte i.
struct CutBlock {
  std::uintptr_t address;
  std::uint32_t cuts;
  LocationId first;  // its pieces have this number and those that follow
};

class Objects {
 public:
  const Object& operator[](LocationId id) const { return all_[id]; }

  // Before the first execution.
  void initialise() { all_.push_back({0, 0, ObjectKind::atomic}); }
  void new_execution(Graph& g);

  // Where an atomic access goes to, and what is there if nobody has been there yet.
  void place_access(Event* e, std::uintptr_t address, unsigned size, std::uint64_t pc);
  // The size of the atomic object that the program has at the address, 0 if it never had one there.
  unsigned atomic_size(std::uintptr_t address);
  // The object of 8 bytes that the program has accessed and that a futex word is half of, or 0.
  LocationId wide_location(std::uintptr_t futex_word);
  // One that the program does not see.
  LocationId hidden(ObjectKind kind, std::uintptr_t address);
  // Hidden ones, on the heap and on stacks, that somebody may hold or sleep on.
  const Array<LocationId>& passing() const { return passing_; }

  // The event that the program repeats is one of this object, or there is no verdict.
  void same_object(const Event& e, std::uintptr_t address, unsigned size, std::uint64_t pc) {
    const Object& o = all_[e.location];
    execution.same(o.address == address && e.size == size && o.kind == ObjectKind::atomic, pc);
    if (looks_at_initial_values) [[unlikely]]
      look_at_initial_values(e, pc);
  }
  // Is it one of this word of a lock or a queue?
  bool is_of_word(const Event& e, ObjectKind kind, std::uintptr_t address, unsigned word) const {
    const Object& o = all_[e.location];
    return o.address == address && o.kind == kind && (kind != ObjectKind::rwlock || o.size == word);
  }
  void same_word(const Event& e, ObjectKind kind, std::uintptr_t address, unsigned word,
                 std::uint64_t pc) {
    execution.same(is_of_word(e, kind, address, word), pc);
  }
  // The graph is gone through to see whether others have told the truth.
  bool looks_at_initial_values = false;
  bool is_first_at(LocationId id);

  // Is this a piece of memory that is accessed in different sizes?
  bool is_cut(LocationId id);
  // From now on it is, and the search begins anew.
  [[noreturn]] void cut_memory(std::uintptr_t address, unsigned size, std::uint64_t pc);
  // What a location is to other processes: its kind, and how the memory around it is cut.
  std::uint32_t kind_and_cuts(LocationId id);
  // The object that another process calls by another number.
  LocationId adopt(const Place& place);

 private:
  LocationId add(std::uintptr_t address, unsigned size);
  LocationId locate(std::uintptr_t address, unsigned size, std::uint64_t pc, std::uint8_t* more);
  // Of where the event is the first to come to: does the graph have what is there?
  void look_at_initial_values(const Event& e, std::uint64_t pc);
  void show(Graph& graph);
  CutBlock* block_at(std::uintptr_t address);
  void number_pieces(CutBlock& block);
  LocationId adopt_piece(std::uintptr_t address, std::uint32_t cuts);
  void cut_block(std::uintptr_t address, std::uint32_t cuts);
  LocationId pieces_at(std::uintptr_t address, unsigned size, std::uint64_t pc, std::uint8_t* more);

  struct HiddenSlot {
    std::uintptr_t key;
    LocationId id;
  };
  static constexpr unsigned kCutsShift = 8;
  Array<Object> all_;
  Array<CutBlock> blocks_;
  Array<HiddenSlot> hidden_;
  std::uint32_t hidden_used_ = 0;
  Array<LocationId> passing_;
  bool moved_ = false;               // the shadow may speak of objects of another execution
  Array<LocationId> known_initial_;  // looked at in this execution
};

extern Objects objects;

Places places();

}  // namespace fencepost::checker
