// SPDX-License-Identifier: MIT
// Loops that spin on one atomic object until a counter runs out, where the compiler has proved that
// nobody can tell the number of rounds they took (compiler/bounded_spins.hpp). It announces each
// turn of such a loop, and where it is entered and left.
//
// Explored is the first round. A thread that comes round with no event but one load, and comes to
// that load again, is given what it has read before, and that is no event: the loop goes on so
// until the counter runs out. It is really gone through, so whatever the thread does afterwards is
// what it does.
//
// The argument. What is proved: a round does nothing but look; what it does, and whether and where
// it leaves the loop by what it reads, depends on what it reads alone; after leaving so nobody
// looks at the counter; in which round the counter runs out does not depend on what is read.
// - Nothing is lost. Take an execution E in which the loop makes k rounds. If it leaves by what
//   it reads, take all its rounds but the last one away: reads, without which orders and
//   happens-before are smaller, so that no axiom is violated, and what raced races still. The
//   thread goes on as it did. If the counter runs out, take those away that come after the first
//   round of one event, which then stands for all of them: what they found nobody looks at.
// - Nothing is added. Where the counter runs out, the read of the first round stands for k reads of
//   the same write, one behind the other with nothing of the thread's in between. All k can be
//   where the one is: a read that is repeated at once is allowed what it was allowed.
// - A round that makes more than one event is not passed in this way, and is explored as written:
//   two reads in turn may not find the same again.
//
// That a round made one event, and which loop it is of, is seen from what is announced: such a loop
// is entered, turns or is left, and between a round's beginning and the next one nothing else is.
#include "execution/loops/turns.hpp"

#include "execution/accesses/atomic_accesses.hpp"
#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "execution/objects.hpp"

namespace fencepost::checker {
namespace {

constexpr std::uint32_t kMostTurns = 1U << 20;

}  // namespace

void spin_begins() {
  execution.current->turn = Turn::begun;
  execution.current->turned_at = execution.current->cursor;
}

void spin_ends() {
  execution.current->turn = Turn::none;
  execution.current->turned_at = execution.current->cursor;
}

void spin_turns() {
  Thread& t = *execution.current;
  const bool counted = t.turn == Turn::begun || t.turn == Turn::same;
  const bool once = counted && t.turned_at + 1 == t.cursor;
  const bool passed = t.turned_at == t.cursor && t.turn == Turn::passed;
  t.turn = (once || passed) && !execution.options.no_bounded_spins ? Turn::same : Turn::begun;
  t.turned_at = t.cursor;
}

// Is this load the one of the round before, in a loop that has turned since?
bool pass_turn(std::uintptr_t address, unsigned size, Order order, std::uint64_t pc, Value* value) {
  Thread& t = *execution.current;
  if (t.turn != Turn::same || t.cursor == 0) return false;
  const Event& e = execution.graph().at(execution.last_event());
  if (e.kind != Kind::read || e.what != Operation::load || e.pc != pc || e.size != size ||
      e.order != order || e.effects != t.effects || objects[e.location].address != address) {
    return false;
  }
  t.turns = t.turns_at == t.cursor ? t.turns + 1 : 1;
  t.turns_at = t.cursor;
  if (t.turns > kMostTurns) {
    execution.unsupported(pc, "thread %u is in a loop of more than %u rounds", t.id, kMostTurns);
  }
  settle_plain_writes();
  execution.heartbeat = execution.heartbeat + 1;
  t.idle_yields = 0;
  t.turn = Turn::passed;
  *value = whole_value(execution.last_event());
  return true;
}

}  // namespace fencepost::checker
