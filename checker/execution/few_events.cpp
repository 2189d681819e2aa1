// SPDX-License-Identifier: MIT
// A first look at executions in which each thread has few events.
//
// Where each round of a loop does something, there are executions of any length. The search goes
// deep first, and comes to the short ones last, though what is wrong mostly shows in them. So when
// a thread first has many events, the search begins anew with a bound: whoever meets it stays
// there, as if nobody ran it any more, and the others go on. The bound is doubled a few times, and
// then there is none.
//
// What goes wrong in such an execution goes wrong in the whole one that begins like this, so it is
// told. At the end nothing is judged where somebody met the bound, for others may wait for them:
// the execution is dropped.
#include "execution/few_events.hpp"

#include "execution/execution.hpp"
#include "graph/state_section.hpp"

namespace fencepost::checker {

namespace {

constexpr unsigned kDoubled = 3;           // times
constexpr std::uint64_t kMostRuns = 5000;  // with each bound

}  // namespace

FENCEPOST_CHECKER_STATE constinit EventBound event_bound;

void EventBound::meet(std::uint64_t pc) {
  if (!is_tried) {
    is_tried = true;
    now = now >> (kDoubled + 1) | 1;
    execution.start_over();
  }
  for (;;) execution.block(Block::bound, pc, 0, 0);
}

bool EventBound::is_met() const {
  for (std::uint64_t left = is_tried ? execution.in(ThreadState::blocked) : 0; left != 0;
       left &= left - 1) {
    if (execution.threads[__builtin_ctzll(left)].block == Block::bound) return true;
  }
  return false;
}

// After an execution with a bound. Says whether the search begins anew, with the next one.
bool EventBound::is_done(bool more) {
  if (more && execution.counters.replays < kMostRuns) return false;
  if (!more) seen_with = now;
  if (++doublings_ > kDoubled) {
    is_tried = false;
    now = kNone;
  } else {
    now <<= 1;
  }
  execution.begins_anew = true;
  return true;
}

}  // namespace fencepost::checker
