// SPDX-License-Identifier: MIT
// A lock lies where it was made. A word in its bytes says where that was: it goes with a copy of
// the bytes, and a copy is no lock ("the result of referring to copies of that object is
// undefined": POSIX, of each of these objects). What a static initialiser made has zero there until
// somebody uses it: a copy of it that was taken before is like a second initialiser.
#pragma once

#include <cstdint>

#include "interface/entry.hpp"

namespace fencepost::checker {

struct LockMark {
  const char* kind;  // "mutex"
  const volatile void* lock;
  volatile std::uint32_t* word;
};

// Of one that a static initialiser may have made.
void must_be_here(const LockMark& mark, std::uint64_t pc);
// Of one that only a function makes.
void must_be_made_here(const LockMark& mark, std::uint64_t pc);

// Whether a part of the program is, or may be, C++.
bool has_cpp();

bool is_marked(const LockMark& mark);
inline bool is_unmarked(const LockMark& mark) { return *mark.word == 0; }
void mark_as_made(const LockMark& mark);
void mark_as_destroyed(const LockMark& mark);

// By a function of POSIX that initialises: "attempting to initialize an already initialized mutex
// results in undefined behavior", and so for the others. Not told of where there is C++: there an
// object may take the place of another one, whose life ends with that (C++20 [basic.life]/5), and
// what a constructor initialises is new, though the bytes look old.
void must_not_be_made_twice(const LockMark& mark, std::uint64_t pc);

// Somebody holds it, or sleeps on it, and its mark is gone.
[[noreturn]] void is_overwritten(const LockMark& mark, unsigned user, const char* does,
                                 std::uint64_t pc);

}  // namespace fencepost::checker
