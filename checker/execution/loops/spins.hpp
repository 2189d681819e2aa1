// SPDX-License-Identifier: MIT
// Loops that look at one atomic object a bounded number of times: spins.cpp.
#pragma once

#include <cstdint>

#include "execution/accesses/values.hpp"
#include "execution/execution.hpp"
#include "machine/machine.hpp"

namespace fencepost::checker {

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

// A load of a loop that the option is for, where it is not given; 0 if there is none.
std::uint64_t suggested_spin();
extern bool suggests_bounded_spins;

// Is the current thread in rounds that are passed at once, or about to be?
inline bool is_in_spin() {
  const Thread& t = *execution.current;
  return t.silent_rounds != 0 ||
         (t.cursor < t.logged && t.log[t.cursor].what == Operation::skipped_rounds);
}
// It comes to a load. Is that in a round that is passed at once? Then it is given what the round
// before has read.
bool pass_silently(std::uintptr_t address, unsigned size, std::uint64_t pc, Value* value);
// The state in which it comes to a load.
void take_arrival(SpinArrival* arrival);
// It comes to a load that the graph does not have. Is that the first of the rounds that are passed
// at once?
bool begins_silence(const SpinArrival& arrival);
// The option is not given: is this a loop that it would be for?
void look_for_spin(std::uintptr_t address, unsigned size, std::uint64_t pc);
// It comes to a new event.
void must_stay_in_spin(std::uint64_t pc);
// How many rounds a loop has is being found out; and it has come to its end.
bool spin_is_running();
void note_end_of_spin();

}  // namespace fencepost::checker
