// SPDX-License-Identifier: MIT
// Read-write locks: how one is taken and who has it.
#pragma once

#include <cstdint>

#include "execution/objects.hpp"
#include "execution/threads/blocked.hpp"
#include "graph/event.hpp"

namespace fencepost::checker {

struct Rwlock {
  std::uintptr_t address;
  bool writers_first;  // a writer that waits keeps readers out
};

struct RwlockUse {
  bool waits;
  bool announces;  // a writer that others see waiting, where writers go first
  bool may_repeat;
};

struct RwlockHeld {
  bool writing;
  unsigned reading;  // how often
};

// What a writer keeps with its change of a read-write lock.
inline constexpr std::uint64_t kWrites = std::uint64_t{1} << 32;

// Does a writer that would otherwise announce itself take the lock?
inline bool takes_rwlock(const Event& announce) {
  if (announce.kind == Kind::write) return (announce.operand & kWrites) != 0;
  return announce.operand != 0 && (announce.value & announce.operand) == 0;
}

void initialise_rwlock(const Rwlock& lock, std::uint64_t pc);
bool lock_to_read(const Rwlock& lock, const RwlockUse& use, std::uint64_t pc);
bool lock_to_write(const Rwlock& lock, const RwlockUse& use, std::uint64_t pc);
bool unlock_rwlock(const Rwlock& lock, std::uint64_t pc);  // false: the caller has no part
RwlockHeld rwlock_held(const Rwlock& lock);                // by the current thread
// A thread that holds the lock, kMaxThreads if there is none.
unsigned rwlock_holder(const Rwlock& lock);
// Of the lock whose first word this is.
RwlockHeld rwlock_held_by(unsigned thread, LocationId first, std::uint32_t events);
unsigned rwlock_holder(LocationId first);

extern const BlockedAt kBlockedToRead;
extern const BlockedAt kBlockedToWrite;

}  // namespace fencepost::checker
