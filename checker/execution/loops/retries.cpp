// SPDX-License-Identifier: MIT
// Retry loops that go on with what a failed attempt has found (compiler/found_values.hpp):
//
//   int seen = x.load();
//   while (!x.compare_exchange_weak(seen, seen + 1)) {}
//
// A thread whose attempt has failed is stopped when it is about to go on. What it would do there it
// does in another execution, in which the load has found at once what the attempt found, and there
// was no attempt.
//
// The argument. What is proved: what the thread does from the head of the loop on depends on what
// there was before it came to the loop, and on the value that it goes on with. Take an execution E
// in which the load L reads the write v, then an attempt A fails and reads w, with nothing of the
// thread's between the two but reads. E', where L reads w in the place of v, and A and those reads
// are left out, is an execution:
// - The thread comes to the head of the loop with the value of w, as in E after A.
// - L and A access the same object. What the thread has read or written of it before L comes
//   before w in its modification order, for A may read w; and so does what happens before L.
// - L's order is no stronger than A's, so that what w is of a release for happens before no more
//   than in E. All other reads are only left out. Orders and happens-before only become smaller:
//   no axiom is violated which held before, and what raced races still.
// - Nobody else can tell: reads are seen by nobody. What the loop has written plainly it writes
//   again before anybody could have learned of it.
// In E' the thread has made one failed attempt less, so that this comes to an end. What A itself
// races with, and what comes before it in its round, is found in the execution that is stopped
// behind it. The thread is never stuck there: in E' it goes on.
//
// A may also be a load at the end of a round, of a loop that waits until it may try, if it reads
// another write than L: the same again is for loops.cpp, which knows when a thread waits for ever.
//
// L may be an earlier attempt of the same loop, if it fails with the value of w, too, and then goes
// to the head of the loop: where nothing but the failure decides of the way there, or, if A is an
// attempt, nothing but that and what is found, for A has gone there. And L may be an earlier load
// at the same place as A. So a loop without a load before it, or with one that orders more than its
// attempts do, fails once.
//
// An attempt that fails though it has found what it expects is none of these (--weak-cas).
#include "execution/loops/retries.hpp"

#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "execution/loops/loops.hpp"
#include "graph/event.hpp"

namespace fencepost::checker {
namespace {

bool never_stuck(const Thread&) { return false; }
void describe_nothing(const Thread&, char* message, std::size_t) { *message = '\0'; }

// By what they order.
unsigned strength(Order order) { return order == Order::seq_cst ? 2 : is_acquire(order) ? 1 : 0; }

bool is_load(const Event& e) {
  return e.kind == Kind::read && e.what == Operation::load && e.more == 0;
}

bool is_failed_attempt(const Event& e) {
  return e.kind == Kind::read && e.what == Operation::compare_exchange &&
         (e.flags & kCompare) != 0 && !succeeds(e) && e.more == 0 && e.size <= 8;
}

// Could it have read what the last event has, and have come to the head of the loop with that?
bool stands_for(const Event& earlier, bool is_the_load, RetryWay way, const Event& last) {
  const bool comes_there = is_load(earlier) && (is_the_load || earlier.pc == last.pc);
  const bool fails_too = is_failed_attempt(earlier) && !fits(earlier, last.value) &&
                         (way == RetryWay::by_failure ||
                          (way == RetryWay::by_what_is_found && is_failed_attempt(last)));
  return (comes_there || fails_too) && earlier.location == last.location &&
         earlier.size == last.size && strength(earlier.order) <= strength(last.order) &&
         !(earlier.from == last.from);
}

}  // namespace

void retry_begins(int loop, bool is_loaded, RetryWay way) {
  Thread& t = *execution.current;
  t.retry_loop = loop;
  t.retry_way = way;
  t.retry_is_loaded = is_loaded && t.cursor != 0;
  t.retry_at = t.cursor - (t.retry_is_loaded ? 1 : 0);
}

void retry_turns(int loop, bool is_loaded) {
  if (execution.options.rounds != 0) return;
  settle_plain_writes();
  const Thread& t = *execution.current;
  if (t.cursor < t.logged || t.cursor == 0 || t.retry_loop != loop) return;
  const Event& last = execution.graph().at(execution.last_event());
  if (!is_failed_attempt(last) && !(is_loaded && is_load(last))) return;
  for (std::uint32_t i = t.cursor - 1; i-- > t.retry_at;) {
    const Event& earlier = execution.graph().at(t.id, i);
    if (earlier.kind != Kind::read || succeeds(earlier)) return;
    if (stands_for(earlier, t.retry_is_loaded && i == t.retry_at, t.retry_way, last)) {
      expect_news(i);
      execution.block(Block::retry, last.pc, 0, 0);
      return;
    }
  }
}

constinit const BlockedAt kBlockedInRetry{"tries again", never_stuck, describe_nothing,
                                          no_known_holders};

}  // namespace fencepost::checker
