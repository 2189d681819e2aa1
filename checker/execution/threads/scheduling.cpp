// SPDX-License-Identifier: MIT
// Whose turn it is.
#include "execution/above.hpp"
#include "execution/execution.hpp"
#include "execution/loops/unseen_code.hpp"
#include "execution/objects.hpp"

namespace fencepost::checker {

void Execution::switch_to_scheduler() {
  in_program = false;
  fencepost_switch_stack(&current->stack_pointer, scheduler_stack_);
  in_program = true;
}

// The thread stops for the time being, and whoever is next goes on at once. If nobody can, the
// execution is over.
void Execution::give_way() {
  if (first_threads.makes_more) main_lets_others_run();
  Thread& t = *current;
  in_program = false;
  if (Thread* next = pick()) {
    if (next != &t) fencepost_switch_stack(&t.stack_pointer, enter(*next));
    in_program = true;
  } else {
    switch_to_scheduler();
  }
}

void Execution::step_aside() {
  Thread& t = *current;
  if (t.stepped_aside) return;
  t.stepped_aside = true;
  set_state(t, ThreadState::aside);
  give_way();
}

void Execution::block(Block why, std::uint64_t pc, std::uint64_t object, LocationId location) {
  Thread& t = *current;
  if (options.symmetry) symmetry.stops();
  set_state(t, ThreadState::blocked);
  t.block = why;
  t.block_pc = pc;
  t.block_object = object;
  t.block_location = location;
  if (why == Block::join) t.block_timed = false;
  // Who looks at a clock in each round may leave when time has passed.
  if (why == Block::spin) t.block_timed = t.clock_read && t.clock_read_at > t.loop_start;
  give_way();
}

void Execution::wake(Thread& t) {
  if (t.state != ThreadState::blocked) return;
  set_state(t, ThreadState::ready);
  turn_ = -1;  // a thread with a lower number may be able to go on
}

bool Execution::is_taken(LocationId lock) {
  const Location& l = graph().location(lock);
  return !l.writes.empty() && graph().value_of(lock, l.writes.back()) != 0;
}

void Execution::queue_at(LocationId lock) {
  const bool is_mutex = objects[lock].kind == ObjectKind::mutex;
  current->block = is_mutex ? Block::mutex : Block::spin_lock;
  current->block_object = objects[lock].address;
  current->block_location = lock;
  set_state(*current, ThreadState::queued);
  give_way();
}

bool Execution::is_queued_at(LocationId lock) const {
  for (std::uint64_t left = in(ThreadState::queued); left != 0; left &= left - 1) {
    if (threads[__builtin_ctzll(left)].block_location == lock) return true;
  }
  return false;
}

// Those whose lock is free.
void Execution::let_queued_go_on() {
  for (std::uint64_t left = in(ThreadState::queued); left != 0; left &= left - 1) {
    Thread& t = threads[__builtin_ctzll(left)];
    if (!is_taken(t.block_location)) set_state(t, ThreadState::ready);
  }
}

// It will read that the lock is taken, and block.
Thread* Execution::last_to_go_on() {
  if (in(ThreadState::queued) == 0) return nullptr;
  Thread& t = threads[__builtin_ctzll(in(ThreadState::queued))];
  t.comes_last = true;
  set_state(t, ThreadState::ready);
  return &t;
}

// Threads give way to each other, and come back when nobody can go on. The scheduler itself has no
// use for thread-local variables and keeps those of the last one.
void Execution::go_on_with(Thread& t) { fencepost_switch_stack(&scheduler_stack_, enter(t)); }

// Makes it the current thread; returns where its stack is.
void* Execution::enter(Thread& t) {
  current = &t;
  fencepost_unseen_calls = 0;
  set_thread_pointer(t.thread_pointer);
  return t.stack_pointer;
}

Thread* Execution::pick() {
  if (replaying_) {
    for (unsigned i = repeated_; i < thread_count; ++i) {
      Thread* t = &threads[i];
      if (t->cursor >= graph().size(i)) {
        if (i == repeated_) ++repeated_;
        continue;
      }
      if (t->state == ThreadState::absent) continue;
      // Whoever it waits for goes first, and so on; program order and reads-from have no cycle.
      for (;;) {
        if (t->state == ThreadState::waiting) {
          const EventId e = t->waits_for;
          if (threads[e.thread()].cursor > e.index()) break;
          t = &threads[e.thread()];
        } else if (t->state == ThreadState::absent) {
          const EventId creator = graph().at(t->id, 0).from;
          if (creator == kInitial) return cannot_go_on();
          t = &threads[creator.thread()];
        } else {
          break;
        }
      }
      // The graph of another program, which somebody has made up.
      const bool passed = t->cursor >= graph().size(t->id);
      if (passed || t->state == ThreadState::finished) return cannot_go_on();
      set_state(*t, ThreadState::ready);
      return t;
    }
    replaying_ = false;
    unfinished_ = 0;
    for (unsigned i = 0; i < thread_count; ++i) note_if_unfinished(threads[i]);
  } else {
    note_if_unfinished(*current);  // nobody else has added events since the last time
  }
  if (in(ThreadState::queued) != 0) [[unlikely]]
    let_queued_go_on();
  if (in(ThreadState::ready) == 0 && in(ThreadState::aside) != 0) {
    set_state(threads[__builtin_ctzll(in(ThreadState::aside))], ThreadState::ready);
  }
  const std::uint64_t ready = in(ThreadState::ready);
  if (ready == 0) {
    Thread* const next = last_to_go_on();
    if (next != nullptr) turn_ = static_cast<int>(next->id);
    return next;
  }
  const std::uint64_t unfinished = ready & unfinished_;
  Thread* next = unfinished == ready ? nullptr : &threads[__builtin_ctzll(ready & ~unfinished)];
  if (unfinished != 0) [[unlikely]] {
    Thread* last = nullptr;
    const auto last_event_of = [&](const Thread& t) { return event_id(t.id, t.cursor - 1); };
    const auto begun = [&](const Thread& t) { return graph().at(last_event_of(t)).stamp; };
    for (std::uint64_t left = unfinished; left != 0; left &= left - 1) {
      Thread& t = threads[__builtin_ctzll(left)];
      if (!lets_others_go_first(last_event_of(t))) {
        next = &t;
        break;
      }
      if (last == nullptr || begun(t) > begun(*last)) last = &t;
    }
    if (next == nullptr) next = last_to_go_on();
    if (next == nullptr) next = last;
  }
  turn_ = static_cast<int>(next->id);
  return next;
}

Thread* Execution::cannot_go_on() {
  inconclusive = kNotTheSame;
  inconclusive_pc = 0;
  ended = Ended::stopped;
  return nullptr;
}

void Execution::note_if_unfinished(const Thread& t) {
  const std::uint64_t bit = std::uint64_t{1} << t.id;
  const bool is = t.cursor != 0 && is_unfinished(graph().at(t.id, t.cursor - 1));
  unfinished_ = is ? unfinished_ | bit : unfinished_ & ~bit;
}

// A futex's wait reads the queue, then the word, and only then is it known what it writes to the
// queue. If another operation has the place in the queue that it is to take, its write revisits
// that one, and the graph is then done with; so whoever could still write the word must come before
// that, or the wait would never read from them. All the others go as far as they can, then the one
// that has begun last.
bool Execution::lets_others_go_first(EventId last) {
  Graph& g = graph();
  const Event& e = g.at(last);
  return e.kind == Kind::read && e.what == Operation::futex_wait &&
         g.rmw_reader(e.location, e.from, last) != kInitial;
}

}  // namespace fencepost::checker
