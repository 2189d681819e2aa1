// SPDX-License-Identifier: MIT
// Who waits with a time limit, where limits are explored (--timeouts), goes on in time, and is not
// to blame. Whom does that excuse?
//
// A thread that may still time out does so in another execution, and what comes of it is judged
// there. One that has timed out as often as the options let it goes on in reality, but that is not
// explored. If what it has done since it last timed out was to look, and it would see something
// newer the next time, then in another execution it times out later and sees that. Otherwise
// others are stuck whatever it does who wait for a lock or a thread that is held by one of
// themselves, or by a thread that has ended. Of the rest nobody knows, and there is no verdict that
// all holds.
#include "sync/time_limits.hpp"

#include "execution/execution.hpp"
#include "sync/stuck.hpp"

namespace fencepost::checker {

// The event after which the thread has looked again. Not one in which a deadline passes as it reads
// a clock: it may wait right after that, and look only then.
std::uint32_t last_time_out(const Thread& t) {
  for (std::uint32_t i = execution.graph().size(t.id); i-- > 0;) {
    const Event& e = execution.graph().at(t.id, i);
    const bool runs_out = e.kind == Kind::choice && e.what == Operation::times_out && e.value != 0;
    const bool leaves =
        e.kind == Kind::write &&
        (e.what == Operation::cond_timeout || e.what == Operation::cond_for_nothing ||
         e.what == Operation::futex_timeout || e.what == Operation::futex_for_nothing);
    if (runs_out || leaves) return i + 1;
  }
  return 0;
}

// Of these, who wait without a limit: those that nobody else can help.
std::uint64_t stuck_anyway(std::uint64_t waiting) {
  std::uint64_t ended = 0;
  for (unsigned i = 0; i < execution.thread_count; ++i) {
    if (execution.threads[i].state == ThreadState::finished) ended |= std::uint64_t{1} << i;
  }
  for (bool fewer = true; fewer;) {
    fewer = false;
    for (std::uint64_t left = waiting; left != 0; left &= left - 1) {
      const int i = __builtin_ctzll(left);
      const Thread& t = execution.threads[i];
      if ((blocked_at(t.block).holders(t) & (waiting | ended)) != 0) continue;
      waiting &= ~(std::uint64_t{1} << i);
      fewer = true;
    }
  }
  return waiting;
}

}  // namespace fencepost::checker
