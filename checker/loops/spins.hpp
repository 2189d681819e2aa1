// SPDX-License-Identifier: MIT
// Loops that look at one atomic object a bounded number of times: spins.cpp.
#pragma once

#include <cstdint>

#include "machine/machine.hpp"

namespace fencepost::checker {

inline constexpr unsigned kMostSpins = 32;         // places in the program
inline constexpr unsigned kMostSpinStates = 128;   // ... and states there
inline constexpr unsigned kMostStackWords = 2048;  // of the stack of a thread that is watched
inline constexpr std::uint32_t kUntilItEnds = ~0U;

inline constexpr unsigned kMostCounters = 3;

// A counter: a preserved register, or a word of the stack beyond those.
struct Counter {
  std::uint32_t word;
  std::uint64_t step;

  friend bool operator==(const Counter&, const Counter&) = default;
};

// A load in a loop of which each round changes counters, each by the same number, and nothing else.
struct Spin {
  std::uint64_t pc;
  Counter counters[kMostCounters];  // the first is told of; the others go with it
  unsigned count;
  bool refused;  // something else has changed after all
};

// A state of such a loop but for its counter, and the counter's value in the last round.
struct SpinEnd {
  std::uint64_t pc;
  std::uint64_t state;
  std::uint64_t last;
};

// A thread comes to a load.
struct SpinArrival {
  std::uint64_t pc;
  std::uintptr_t address;
  unsigned size;
  std::uint64_t whole;    // hash of its state,
  std::uint64_t state;    // ... without the counter, if there is one
  std::uint64_t counter;  // and this
  SavedRegisters registers;
};

struct Spins {
  Spin places[kMostSpins]{};
  unsigned place_count = 0;
  SpinEnd ends[kMostSpinStates]{};
  unsigned end_count = 0;
  std::uint64_t suggested = 0;  // without the option: a load of a loop that it would be for

  // How many rounds a loop has is being found out.
  unsigned thread = 0;
  Spin* running = nullptr;  // nullptr: it is not
  std::uint64_t state = 0;
  std::uint64_t counter = 0;  // in its last round so far
  std::uint32_t rounds = 0;

  // What a loop changes is being found out: its last round so far.
  struct {
    unsigned thread;
    std::uint32_t cursor;
    std::uint64_t pc;
    SavedRegisters registers;
    std::uint64_t stack[kMostStackWords];
    std::uint32_t words;
    Counter counters[kMostCounters];
    unsigned count;  // 0: it is not known what changes
  } watched{};

  Spin* at(std::uint64_t pc);
  const SpinEnd* end_of(std::uint64_t pc, std::uint64_t state) const;
};

}  // namespace fencepost::checker
