// SPDX-License-Identifier: MIT
// Who uses a lock or a condition variable that is about to be destroyed, made anew or freed?
//
// Only what the destroying thread knows by happens-before counts. Whoever else uses the object at
// that time races with its destruction, and that is found as any race is: each use begins with a
// plain read of the object, and destroying it is a plain write.
#include "sync/misuse.hpp"

#include "execution/above.hpp"
#include "execution/execution.hpp"
#include "execution/lifetimes/stack/own_stack.hpp"
#include "execution/lifetimes/stack/stacks.hpp"
#include "execution/objects.hpp"
#include "memory/regions.hpp"
#include "sync/condition_variables.hpp"
#include "sync/locks/read_write_locks.hpp"
#include "sync/locks/words.hpp"

namespace fencepost::checker {
namespace {

// The C library's waits write to a condition variable or a barrier once more before they return,
// behind everything that can be known of them. Its functions that destroy one wait for that; who
// frees it, writes over it or leaves its scope does not. A read of the object's last word, which
// nothing else reads, stands for that use.
std::uintptr_t last_word(std::uintptr_t object, std::size_t size) {
  return object + size - sizeof(std::uint64_t);
}

// Is it main, which has joined all others? With what it holds then the process may end.
bool is_main_alone() {
  for (unsigned i = 1; i < execution.thread_count; ++i) {
    if (!execution.threads[i].joined) return false;
  }
  return execution.current->id == 0;
}

}  // namespace

void will_use_last(std::uintptr_t object, std::size_t size, std::uint64_t pc) {
  const std::uintptr_t word = execution.current->last_use = last_word(object, size);
  if (!regions::in_threads(word) || on_own_stack(*execution.current, word)) return;
  if (Cell* cell = execution.shadow.find(word)) visit_stack(cell, word, 0xff, false, pc);
}

void waits_for_last_uses(std::uintptr_t object, std::size_t size) {
  const std::uintptr_t word = last_word(object, size);
  for (unsigned i = 0; i < execution.thread_count; ++i) {
    if (execution.threads[i].last_use == word) execution.threads[i].last_use = 0;
  }
  bool fresh;
  if (Cell* cell = execution.shadow.cell(word, &fresh)) execution.shadow.forget(cell);
}

// Of the locks and condition variables that some execution has had on the heap or on a stack.
void must_not_end_locks(std::uintptr_t address, std::size_t size, std::uint64_t pc) {
  for (const LocationId id : objects.passing()) {
    const Object o = objects[id];
    const bool rwlock = o.kind == ObjectKind::rwlock || o.kind == ObjectKind::rwlock_word;
    const std::uint8_t more = o.kind == ObjectKind::rwlock ? kLockWords - 1 : 0;
    if (o.address - address >= size || words_untouched(id, more)) continue;
    const bool condition = o.kind == ObjectKind::condition;
    const unsigned user = condition ? known_sleeper(o.address)
                          : rwlock  ? rwlock_holder(id)
                                    : known_holder(o.address, o.kind);
    if (user == kMaxThreads) continue;
    if (regions::in_stacks(address) && user == execution.current->id && is_main_alone()) continue;
    execution.violate("memory", pc, "thread %u %s %s at 0x%lx, %s thread %u %s",
                      execution.current->id,
                      regions::in_stacks(address) ? "leaves the scope of" : "frees memory with",
                      condition                         ? "the condition variable"
                      : rwlock                          ? "the read-write lock"
                      : o.kind == ObjectKind::spin_lock ? "the spin lock"
                                                        : "the mutex",
                      static_cast<unsigned long>(o.address), condition ? "on which" : "which", user,
                      condition ? "sleeps" : "holds");
  }
}

}  // namespace fencepost::checker
