// SPDX-License-Identifier: MIT
// Who uses a lock or a condition variable that is about to be destroyed, made anew or freed?
//
// Only what the destroying thread knows by happens-before counts. Whoever else uses the object at
// that time races with its destruction, and that is found as any race is: each use begins with a
// plain read of the object, and destroying it is a plain write.
#include "execution/runtime.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {

unsigned Runtime::known_holder(std::uintptr_t mutex, ObjectKind kind) {
  const LocationId location = hidden(kind, mutex);
  const Graph& g = graph();
  for (unsigned t = 0; t < g.threads(); ++t) {
    const std::uint32_t known = t == current->id ? current->cursor : clock()[t];
    const EventId last = last_write_of(t, location, known);
    if (last != kInitial && graph().at(last).value == t + 1) return t;
  }
  return kMaxThreads;
}

unsigned Runtime::known_sleeper(std::uintptr_t condition) {
  const LocationId queue = hidden(ObjectKind::condition, condition);
  Location& l = graph().location(queue);
  for (std::uint32_t k = l.writes.size(); k-- > 0;) {
    if (!Graph::includes(clock(), l.writes[k])) continue;
    const std::uint64_t asleep = graph().at(l.writes[k]).value;
    return asleep == 0 ? kMaxThreads : static_cast<unsigned>(__builtin_ctzll(asleep));
  }
  return kMaxThreads;
}

// The C library's waits write to a condition variable or a barrier once more before they return,
// behind everything that can be known of them. Its functions that destroy one wait for that; who
// frees it, writes over it or leaves its scope does not. A read of the object's last word, which
// nothing else reads, stands for that use.
static std::uintptr_t last_word(std::uintptr_t object, std::size_t size) {
  return object + size - sizeof(std::uint64_t);
}

void Runtime::will_use_last(std::uintptr_t object, std::size_t size, std::uint64_t pc) {
  const std::uintptr_t word = current->last_use = last_word(object, size);
  if (!regions::in_threads(word) || on_own_stack(*current, word)) return;
  if (Cell* cell = shadow.find(word)) visit_stack(cell, word, 0xff, false, pc);
}

void Runtime::waits_for_last_uses(std::uintptr_t object, std::size_t size) {
  const std::uintptr_t word = last_word(object, size);
  for (unsigned i = 0; i < thread_count_; ++i) {
    if (threads_[i].last_use == word) threads_[i].last_use = 0;
  }
  bool fresh;
  if (Cell* cell = shadow.cell(word, &fresh)) shadow.forget(cell);
}

// Of the locks and condition variables that some execution has had on the heap.
void Runtime::must_not_free_locks(std::uintptr_t address, std::size_t size, std::uint64_t pc) {
  for (const LocationId id : heap_locks_) {
    const Object o = objects_[id];
    const bool rwlock = o.kind == ObjectKind::rwlock || o.kind == ObjectKind::rwlock_word;
    const std::uint8_t more = o.kind == ObjectKind::rwlock ? kLockWords - 1 : 0;
    if (o.address - address >= size || words_untouched(id, more)) continue;
    const bool condition = o.kind == ObjectKind::condition;
    const unsigned user = condition ? known_sleeper(o.address)
                          : rwlock  ? rwlock_holder(id)
                                    : known_holder(o.address, o.kind);
    if (user == kMaxThreads) continue;
    violate("memory", pc, "thread %u frees memory with %s at 0x%lx, %s thread %u %s", current->id,
            condition                         ? "the condition variable"
            : rwlock                          ? "the read-write lock"
            : o.kind == ObjectKind::spin_lock ? "the spin lock"
                                              : "the mutex",
            static_cast<unsigned long>(o.address), condition ? "on which" : "which", user,
            condition ? "sleeps" : "holds");
  }
}

}  // namespace fencepost::checker
