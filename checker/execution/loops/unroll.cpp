// SPDX-License-Identifier: MIT
// Loops that may turn only so often (--unroll).
//
// gcc's plugin announces where a loop is entered, and where it turns (compiler/turns.hpp). Counted
// are turns after a round with an event: one that others cannot see costs nothing. A round that
// changes nothing is still cut at once (loops.cpp), so a loop that only waits is not bounded.
//
// Who has turned as often as he may stays there, as if nobody ran him any more. As with few events
// (few_events.cpp) what goes wrong beside him goes wrong in the whole execution, and is told; at
// the end nothing is judged, and the execution is dropped.
#include "execution/loops/unroll.hpp"

#include "execution/execution.hpp"

namespace fencepost::checker {
namespace {

// The loop's entry among those that the thread is in, or null. Functions with a frame below have
// returned.
Thread::Loop* find(Thread& t, std::uintptr_t frame, std::uint32_t number) {
  while (t.loop_count != 0 && t.loops[t.loop_count - 1].frame < frame) --t.loop_count;
  for (unsigned i = t.loop_count; i-- > 0 && t.loops[i].frame == frame;) {
    if (t.loops[i].number == number) return &t.loops[i];
  }
  return nullptr;
}

}  // namespace

void loop_begins(std::uintptr_t frame, std::uint32_t number, std::uint64_t pc) {
  Thread& t = *execution.current;
  Thread::Loop* loop = find(t, frame, number);
  if (loop == nullptr) {
    if (t.loop_count == Thread::kMostLoops) {
      execution.unsupported(pc, "thread %u is in more than %u loops at a time (see --unroll)", t.id,
                            Thread::kMostLoops);
    }
    loop = &t.loops[t.loop_count++];
  }
  *loop = {frame, number, 0, t.cursor};
}

void loop_turns(std::uintptr_t frame, std::uint32_t number, std::uint64_t pc) {
  Thread& t = *execution.current;
  Thread::Loop* const loop = find(t, frame, number);
  // A coroutine that has been resumed has another frame.
  if (loop == nullptr) return loop_begins(frame, number, pc);
  if (loop->at == t.cursor) return;
  loop->at = t.cursor;
  if (++loop->turns <= execution.options.unroll) return;
  for (;;) execution.block(Block::bound, pc, 0, 0);
}

std::uint64_t unfinished_loop() {
  if (execution.options.unroll == 0) return 0;
  for (std::uint64_t left = execution.in(ThreadState::blocked); left != 0; left &= left - 1) {
    const Thread& t = execution.threads[__builtin_ctzll(left)];
    if (t.block == Block::bound) return t.block_pc;
  }
  return 0;
}

}  // namespace fencepost::checker
