// SPDX-License-Identifier: MIT
#include "sync/locks/mutexes.hpp"

#include "execution/execution.hpp"
#include "execution/objects.hpp"
#include "sync/locks/together.hpp"
#include "sync/locks/words.hpp"
#include "sync/stuck.hpp"

namespace fencepost::checker {
namespace {

void describe(const Thread& t, char* message, std::size_t size) {
  describe_held(t, "mutex", message, size);
}

bool is_stuck(const Thread& t) { return !taken_together.has_some(t) && last_read_is_newest(t); }

}  // namespace

bool lock_mutex(std::uintptr_t address, std::uint64_t pc, bool may_repeat) {
  return change_word({.kind = ObjectKind::mutex,
                      .what = Operation::mutex_lock,
                      .address = address,
                      .condition = kCompare | kAwait,
                      .add = execution.current->id + 1,
                      .why = Block::mutex,
                      .may_repeat = may_repeat,
                      .begins_section = true,
                      .waits_for_turn = true},
                     pc);
}

bool try_lock_mutex(std::uintptr_t address, std::uint64_t pc, bool may_repeat) {
  const bool locked = change_word({.kind = ObjectKind::mutex,
                                   .what = Operation::mutex_trylock,
                                   .address = address,
                                   .condition = kCompare,
                                   .add = execution.current->id + 1,
                                   .may_repeat = may_repeat,
                                   .begins_section = true},
                                  pc);
  // Not before: whoever holds it may have come to it since, and has by now.
  if (!locked) taken_together.is_tried(address, pc);
  return locked;
}

void unlock_mutex(std::uintptr_t address, std::uint64_t pc) {
  // kLocked: glibc and the kernel leave with a locked instruction.
  write_word(ObjectKind::mutex, Operation::mutex_unlock, address, 0, Order::release, kLocked, pc);
}

void initialise_mutex(std::uintptr_t address, std::uint64_t pc) {
  initialise_word(ObjectKind::mutex, Operation::mutex_init, address, 0, pc);
}

std::uint64_t mutex_owner(std::uintptr_t address) {
  const Thread& t = *execution.current;
  const Event* next = t.cursor < t.logged ? &t.log[t.cursor] : nullptr;
  if (next != nullptr && next->what == Operation::mutex_unlock &&
      objects.is_of_word(*next, ObjectKind::mutex, address, 0)) {
    return t.id + 1;  // it has let go of it before
  }
  // Others cannot take away what this thread holds.
  const LocationId location = objects.hidden(ObjectKind::mutex, address);
  const EventId last = last_write_of(execution.current->id, location, execution.current->cursor);
  return last == kInitial ? 0 : execution.graph().at(last).value;
}

constinit const BlockedAt kBlockedAtMutex{"waits for a lock", is_stuck, describe,
                                          holder_by_last_read};

}  // namespace fencepost::checker
