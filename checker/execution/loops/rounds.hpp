// SPDX-License-Identifier: MIT
// Rounds of loops that are back where they were: rounds.cpp.
#pragma once

#include <cstdint>

#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "execution/loops/loops.hpp"
#include "graph/event.hpp"
#include "graph/storage.hpp"

namespace fencepost::checker {

// A lock that some thread takes in rounds that change nothing, and that others try.
struct Tried {
  LocationId lock;   // its first word
  unsigned thread;   // that takes it
  unsigned most;     // how many attempts of others could find it held, in one execution
  unsigned counted;  // ... in the one that has just ended
  bool withheld;     // the thread was cut though an attempt more might see one round more
  bool in_question;  // it belongs to the round that is looked at (seats_for)
};

struct LoopRound {
  unsigned thread;
  std::uint32_t begin;
  std::uint32_t end;
  LocationId lock;  // the first of those that it takes; kNoLocation: none
  bool kept;
  bool seen;     // by an attempt that is in no round that could be left out
  bool counted;  // in count_tries: others need it

  bool takes() const { return lock != kNoLocation; }
};

// An attempt that has been made to find the lock held elsewhere.
struct Moved {
  EventId attempt;
  EventId from;
};

class LoopRounds {
 public:
  // Passes what the graph says of the round that ends here, if it does.
  void pass(std::uint64_t pc) {
    const Thread& t = *execution.current;
    if (t.cursor < t.logged && t.log[t.cursor].what == Operation::another_round) [[unlikely]] {
      settle_plain_writes();
      follow(pc);
    }
  }
  // The current thread is back where it was before its event `start`. Is what it has done since
  // then kept?
  bool keeps(std::uint32_t start, std::uint64_t pc);
  // At the end of an execution. False: it has a kept round that nobody has seen.
  bool judge();
  // The search begins anew.
  void begin_anew();

  bool lock_was_tried = false;  // in this execution

 private:
  // The thread's own state is not compared again: what it has not written on its stack may be other
  // than it was.
  void follow(std::uint64_t pc);
  Tried& tried(LocationId lock, unsigned thread);
  struct Seats {
    unsigned all;
    unsigned taken;
  };
  Seats seats_for(std::uint32_t begin, std::uint32_t end);
  bool put_in_question(std::uint32_t first, std::uint32_t last);
  bool takes_one_in_question(std::uint32_t first, std::uint32_t last);
  void list();
  bool is_in_vain(EventId e) const;
  void mark_seen();
  LoopRound* round_of(EventId e);
  bool move_elsewhere(EventId attempt, EventId opening, unsigned of);
  bool count_rounds(EventId attempt, unsigned of);
  bool count_old_states(EventId attempt, unsigned of);
  bool is_stopped(unsigned thread) const;
  void count_tries(unsigned of);

  std::uint64_t in_vain_ = 0;      // executions that have been dropped,
  std::uint64_t not_in_vain_ = 0;  // ... and others with attempts

  Array<Tried> tried_;
  Array<LoopRound> rounds_;  // of the execution that has ended,
  Array<Moved> moved_;
  Array<EventId> attempts_;  // ... and attempts at locks in it
};

extern LoopRounds loop_rounds;

}  // namespace fencepost::checker
