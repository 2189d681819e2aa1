// SPDX-License-Identifier: MIT
// What the program has at an address: atomic objects, locks, queues, and pieces of memory that is
// accessed in different sizes.
#pragma once

#include <cstdint>

#include "graph/event.hpp"

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

}  // namespace fencepost::checker
