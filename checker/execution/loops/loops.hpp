// SPDX-License-Identifier: MIT
// Loops that are back where they were.
#pragma once

#include <cstdint>

#include "execution/threads/blocked.hpp"
#include "graph/event.hpp"

namespace fencepost::checker {

// A hash of everything that decides what the thread does next, apart from shared memory. `asked`:
// of what the operation is called with, its object and operands, which no other register need have.
// Called from an entry point that kept the registers.
std::uint64_t private_state(std::uint64_t pc, std::uint64_t asked);
// Blocks the thread for good if it is about to repeat an iteration that changed nothing.
void cut_repetition(std::uint64_t state, std::uint64_t pc);
// Abandons the execution if the current thread, which is to be stopped after a round that began
// with its event `begin`, has only looked in it, and last at what was old news then.
void expect_news(std::uint32_t begin);
// Blocks the thread for good after a round that began with its event `begin`.
void stop_in_round(std::uint32_t begin, std::uint64_t pc);

// The rounds in which the threads of an execution were stopped. While they are kept, where that
// execution is run again, each thread is stopped at the same place: what earlier calls have left in
// the gaps of its frames may be something else then, and the same state would be found a round
// later.
class StoppedRounds {
 public:
  void keep();
  void forget() { kept_ = false; }
  // Stops the current thread if it is where it was stopped.
  void stop(std::uint64_t pc) const;

 private:
  struct Stopped {
    bool is_stopped;
    std::uint32_t begin;
    std::uint32_t end;
    std::uint64_t pc;
  };
  bool kept_ = false;
  Stopped stopped_[kMaxThreads] = {};
};

extern StoppedRounds stopped_rounds;

// The current thread yields.
void idle(std::uint64_t pc);

// Of a thread that repeats a round (Thread::loop_start): would it read the same again, also of the
// queues of sleepers if these are asked for?
bool round_reads_newest(const Thread& thread, bool queues);

extern const BlockedAt kBlockedInLoop;

}  // namespace fencepost::checker
