// SPDX-License-Identifier: MIT
// The word of a lock or a semaphore, which the checker keeps where the program does not see it, and
// how operations change it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "execution/objects.hpp"
#include "execution/threads/thread.hpp"
#include "graph/event.hpp"

namespace fencepost::checker {

// How an operation changes the word of a lock or a semaphore.
struct WordChange {
  ObjectKind kind;
  Operation what;
  std::uintptr_t address;
  std::uint8_t word = 0;      // which of the object's words,
  std::uint8_t more = 0;      // and how many of those that follow
  std::uint64_t initial = 0;  // of a word that nobody has changed yet
  std::uint16_t condition =
      0;  // 0: always; else kCompare with kIfClear or kIfAny, kAwait if it waits
  std::uint64_t operand = 0;
  std::uint64_t add = 0;
  std::uint64_t note = 0;  // kept with the write
  // What is added, and kept, instead if the value has some of the bits of `operand`, without a
  // condition; 0: the same.
  std::uint64_t otherwise = 0;
  std::uint64_t note_otherwise = 0;
  Block why = Block::none;
  bool acquires = true;
  bool releases = false;
  bool may_repeat = false;
  bool begins_section = false;
  bool waits_for_turn = false;  // before_new_event()
};

inline Event word_event(Operation what, LocationId word, std::uint64_t pc) {
  Event e{};
  e.what = what;
  e.pc = pc;
  e.size = 8;
  e.location = word;
  return e;
}

// Changes the word, or blocks the thread until that can be done. False: its value did not allow it.
// `seen`: the value before.
bool change_word(const WordChange& change, std::uint64_t pc, std::uint64_t* seen = nullptr);
// A change that is none, `half` 0, or the read half of one.
const Event& read_word(const WordChange& change, std::uint16_t half, std::uint64_t pc);
void write_word(ObjectKind kind, Operation what, std::uintptr_t address, std::uint64_t value,
                Order order, std::uint16_t flags, std::uint64_t pc, std::uint8_t more = 0);
void initialise_word(ObjectKind kind, Operation what, std::uintptr_t address, std::uint64_t value,
                     std::uint64_t pc, std::uint8_t more = 0);
bool words_untouched(LocationId first, std::uint8_t more);
// What a thread did last to an object in its first `events` events; kInitial if nothing.
EventId last_write_of(unsigned thread, LocationId location, std::uint32_t events,
                      std::uint8_t more = 0);

// Of a mutex or a spin lock, whose word is 0 if it is free, thread + 1 if it is held: a thread that
// the current one knows to hold it, kMaxThreads if there is none.
unsigned known_holder(std::uintptr_t lock, ObjectKind kind = ObjectKind::mutex);
// ... and of a thread that is blocked at one (execution/threads/blocked.hpp).
void describe_held(const Thread& t, const char* lock, char* message, std::size_t size);
std::uint64_t holder_by_last_read(const Thread& t);

}  // namespace fencepost::checker
