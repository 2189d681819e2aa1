// SPDX-License-Identifier: MIT
#include "interface/locks/lock_marks.hpp"

#include <cstdint>

// Defined by the link of a program of which a part is, or may be, C++.
extern "C" const char fencepost_objects_take_places[] __attribute__((weak));

#include "execution/execution.hpp"
#include "execution/lifetimes/stack/own_stack.hpp"

namespace fencepost::checker {
namespace {

constexpr std::uint32_t kDestroyed = 0x64656164;
constexpr std::uint32_t kMade = 1;  // in the two lowest bits; heap memory is fresh with 2 there
constexpr std::uint32_t kKind = 3;

// Locks are at multiples of four, so that each in 4 GiB has another one.
std::uint32_t made_at(const volatile void* lock) {
  return (static_cast<std::uint32_t>(address_of(lock)) * 2654435761U & ~kKind) | kMade;
}

// Behind the program's back, like the change that an atomic operation makes.
void set(const LockMark& mark, std::uint32_t value) {
  if (*mark.word == value) return;
  if (exploring()) {
    to_memory(address_of(mark.word), sizeof value, value);
  } else {
    *mark.word = value;
  }
}

}  // namespace

bool has_cpp() { return fencepost_objects_take_places != nullptr; }

bool is_marked(const LockMark& mark) { return *mark.word == made_at(mark.lock); }
void mark_as_made(const LockMark& mark) { set(mark, made_at(mark.lock)); }
void mark_as_destroyed(const LockMark& mark) { set(mark, kDestroyed); }

void must_be_here(const LockMark& mark, std::uint64_t pc) {
  if (!is_unmarked(mark)) must_be_made_here(mark, pc);
}

void must_be_made_here(const LockMark& mark, std::uint64_t pc) {
  if (is_marked(mark)) return;
  const std::uint32_t found = *mark.word;
  execution.violate("memory", pc, "thread %u uses the %s at 0x%lx, which %s", execution.current->id,
                    mark.kind, static_cast<unsigned long>(address_of(mark.lock)),
                    found == kDestroyed        ? "is destroyed"
                    : (found & kKind) == kMade ? "is a copy of another one"
                                               : "nobody has initialised");
}

void must_not_be_made_twice(const LockMark& mark, std::uint64_t pc) {
  if (!is_marked(mark) || has_cpp()) return;
  execution.violate("memory", pc, "thread %u initialises the %s at 0x%lx, which is initialised",
                    execution.current->id, mark.kind,
                    static_cast<unsigned long>(address_of(mark.lock)));
}

void is_overwritten(const LockMark& mark, unsigned user, const char* does, std::uint64_t pc) {
  execution.violate("memory", pc,
                    "thread %u uses the %s at 0x%lx, which was overwritten while thread %u %s",
                    execution.current->id, mark.kind,
                    static_cast<unsigned long>(address_of(mark.lock)), user, does);
}

}  // namespace fencepost::checker
