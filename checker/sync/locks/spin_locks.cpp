// SPDX-License-Identifier: MIT
#include "sync/locks/spin_locks.hpp"

#include "execution/execution.hpp"
#include "execution/objects.hpp"
#include "sync/locks/words.hpp"
#include "sync/stuck.hpp"

namespace fencepost::checker {
namespace {

void describe(const Thread& t, char* message, std::size_t size) {
  describe_held(t, "spin lock", message, size);
}

}  // namespace

void lock_spin(std::uintptr_t address, std::uint64_t pc) {
  change_word({.kind = ObjectKind::spin_lock,
               .what = Operation::spin_lock,
               .address = address,
               .condition = kCompare | kAwait,
               .add = execution.current->id + 1,
               .why = Block::spin_lock,
               .may_repeat = true,
               .begins_section = true,
               .waits_for_turn = true},
              pc);
}

bool try_lock_spin(std::uintptr_t address, std::uint64_t pc) {
  return change_word({.kind = ObjectKind::spin_lock,
                      .what = Operation::spin_trylock,
                      .address = address,
                      .condition = kCompare,
                      .add = execution.current->id + 1,
                      .may_repeat = true,
                      .begins_section = true},
                     pc);
}

bool unlock_spin(std::uintptr_t address, std::uint64_t pc) {
  const LocationId location = objects.hidden(ObjectKind::spin_lock, address);
  const EventId last = last_write_of(execution.current->id, location, execution.current->cursor);
  if (last == kInitial || execution.graph().at(last).value != execution.current->id + 1)
    return false;
  // Not kLocked: glibc's is a plain store on x86-64.
  write_word(ObjectKind::spin_lock, Operation::spin_unlock, address, 0, Order::release, 0, pc);
  return true;
}

constinit const BlockedAt kBlockedAtSpinLock{"waits for a lock", last_read_is_newest, describe,
                                             holder_by_last_read};

}  // namespace fencepost::checker
