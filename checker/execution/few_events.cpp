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
#include "execution/runtime.hpp"

namespace fencepost::checker {

namespace {

constexpr unsigned kDoubled = 3;           // times
constexpr std::uint64_t kMostRuns = 5000;  // with each bound

}  // namespace

void Execution::meet_bound(std::uint64_t pc) {
  if (!bounded_) {
    bounded_ = true;
    bound_ = bound_ >> (kDoubled + 1) | 1;
    start_over();
  }
  for (;;) block(Block::bound, pc, 0, 0);
}

bool Runtime::somebody_met_bound() const {
  for (std::uint64_t left = bounded_ ? blocked_ : 0; left != 0; left &= left - 1) {
    if (threads_[__builtin_ctzll(left)].block == Block::bound) return true;
  }
  return false;
}

// After an execution with a bound. Says whether the search begins anew, with the next one.
bool Runtime::is_done_with_bound(bool more) {
  if (more && counters.replays < kMostRuns) return false;
  if (!more) seen_with_bound_ = bound_;
  if (++doublings_ > kDoubled) {
    bounded_ = false;
    bound_ = kNoBound;
  } else {
    bound_ <<= 1;
  }
  begin_anew_ = true;
  return true;
}

}  // namespace fencepost::checker
