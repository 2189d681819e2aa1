// SPDX-License-Identifier: MIT
// Sleepers on a futex word or a condition variable are a bit set in another hidden object, changed
// only by read-modify-writes, so that their order is explored like any other: to wait is to set
// one's bit, to wake is to clear bits. That is what man 2 futex promises: compare-and-sleep is
// totally ordered with the other futex operations on the word. Those of a futex synchronise with
// each other in that order, as the kernel's bucket lock makes them; those of a condition variable
// do not, C++ does not promise it. Which of several waiters is woken is a choice.
#include "sync/queues.hpp"

#include "execution/execution.hpp"
#include "sync/locks/words.hpp"

namespace fencepost::checker {
namespace {

// Of the sleepers that `read` found in the queue, those that a wake-up with this mask reaches.
std::uint64_t reached_by(LocationId queue, EventId read, std::uint64_t mask) {
  Graph& g = execution.graph();
  const std::uint64_t waiting = g.at(read).value;
  if (objects[queue].kind == ObjectKind::condition) return waiting;
  constexpr std::uint64_t kBits = 0xffffffffU;
  std::uint64_t reached = 0;
  std::uint64_t left = waiting;
  Location& l = g.location(queue);
  for (std::uint32_t k = left == 0 ? 0 : g.rank(g.at(read).from); left != 0 && k-- > 0;) {
    const EventId w = l.writes[k];  // the latest announcement of each counts
    const std::uint64_t bit = std::uint64_t{1} << w.thread();
    if (g.at(w).what != Operation::futex_wait || (left & bit) == 0) continue;
    left &= ~bit;
    const std::uint64_t announced = g.at(w).operand;
    if ((announced & mask & kBits) != 0 && (announced & ~kBits) == (mask & ~kBits)) reached |= bit;
  }
  return reached;
}

}  // namespace

bool chooses_timeout(std::uint64_t pc, Operation what) {
  if (what == Operation::times_out) execution.counters.timed_waits = 1;
  if (execution.current->timeouts_taken >= execution.options.timeouts) return false;
  if (execution.choose(what, 2, pc) == 0) return false;
  ++execution.current->timeouts_taken;
  return true;
}

// Of a thread that is to sleep: how it wakes if nobody wakes it, `woken` if it does not. Each
// thread does so as often as the options say, for each reason.
bool limit_has_passed() {
  constexpr std::uint8_t kMostTold = 2;
  if (execution.current->passed_limits == kMostTold) return false;
  ++execution.current->passed_limits;
  return true;
}

Waited leaves_early(Limit limit, std::uint64_t pc) {
  execution.counters.waits = 1;
  if (limit == Limit::passed && limit_has_passed()) return Waited::timed_out;
  if (limit != Limit::none && chooses_timeout(pc)) return Waited::timed_out;
  if (execution.current->spurious_taken >= execution.options.spurious) return Waited::woken;
  if (execution.choose(Operation::spurious_wakeup, 2, pc) == 0) return Waited::woken;
  ++execution.current->spurious_taken;
  return Waited::spurious;
}

EventId enter_queue(ObjectKind kind, std::uintptr_t address, Operation what, std::uint64_t pc) {
  if (const Event* e = execution.replay(Kind::read, what, pc)) {
    objects.same_word(*e, kind, address, 0, pc);
    ++execution.current->cursor;
    return execution.last_event();
  }
  execution.before_new_event(pc);
  Event e = word_event(what, objects.hidden(kind, address), pc);
  e.flags = kRmw;
  if (what == Operation::cond_wake) {  // where nobody sleeps the C library only looks
    e.flags |= kCompare | kIfAny;
    e.operand = ~std::uint64_t{0};
  }
  e.order = kind == ObjectKind::futex_queue ? Order::acquire : Order::relaxed;
  execution.read_event(e);
  return execution.last_event();
}

void write_queue(LocationId queue, Operation what, EventId read, std::uint64_t value,
                 std::uint64_t pc, std::uint64_t note) {
  const std::uint64_t cleared = execution.graph().at(read).value & ~value;
  if (Event* e = execution.replay(Kind::write, what, pc)) {
    execution.same(e->location == queue && e->value == value, pc);
    execution.same(e->operand == note, pc);
    execution.current->repeat(*e);
    ++execution.current->cursor;
    return;
  }
  execution.before_new_event(pc);
  Event e = word_event(what, queue, pc);
  e.flags = kRmw;
  if (cleared == 0 && value == execution.graph().at(read).value) e.flags |= kSilent;
  e.order = objects[queue].kind == ObjectKind::futex_queue ? Order::release : Order::relaxed;
  e.value = value;
  e.rmw_read = static_cast<std::uint16_t>(read.index());
  e.operand = note;
  execution.write_event(e);
  for (std::uint64_t left = cleared; left != 0; left &= left - 1) {
    Thread& t = execution.threads[__builtin_ctzll(left)];
    if (t.state == ThreadState::blocked && t.block_location == queue) execution.wake(t);
  }
}

// After the thread's bit has been set by `announced`: until it is cleared.
Waited sleep_in_queue(LocationId queue, Block why, Operation woken, Operation timed_out,
                      std::uintptr_t address, EventId announced, bool timed, bool timed_choice,
                      std::uint64_t pc) {
  Thread& t = *execution.current;
  t.block_timed = timed;
  const std::uint64_t bit = std::uint64_t{1} << t.id;
  if (timed_choice) {
    const EventId read = enter_queue(objects[queue].kind, address, timed_out, pc);
    const std::uint64_t waiting = execution.graph().at(read).value;
    write_queue(queue, timed_out, read, waiting & ~bit, pc);
    return (waiting & bit) != 0 ? Waited::timed_out : Waited::woken;
  }
  for (;;) {
    if (Event* e = execution.replay(Kind::read, woken, pc)) {
      t.repeat(*e);
      ++t.cursor;
      return Waited::woken;
    }
    execution.before_new_event(pc);
    Graph& g = execution.graph();
    Location& l = g.location(queue);
    for (std::uint32_t k = g.at(announced).mo + 1; k < l.writes.size(); ++k) {
      if ((g.at(l.writes[k]).value & bit) != 0) continue;
      Event e = word_event(woken, queue, pc);
      e.kind = Kind::read;
      e.order = objects[queue].kind == ObjectKind::futex_queue ? Order::acquire : Order::relaxed;
      e.from = l.writes[k];
      t.effect();
      e.effects = t.effects;
      execution.explorer.add_forced_read(t.id, e);
      ++t.cursor;
      return Waited::woken;
    }
    execution.block(why, pc, address, queue);
  }
}

int wake_waiters(ObjectKind kind, std::uintptr_t address, unsigned count, std::uint64_t mask,
                 std::uint64_t pc) {
  const Operation what =
      kind == ObjectKind::condition ? Operation::cond_wake : Operation::futex_wake;
  const EventId read = enter_queue(kind, address, what, pc);
  const LocationId queue = execution.graph().at(read).location;
  const std::uint64_t waiting = execution.graph().at(read).value;
  if (!succeeds(execution.graph().at(read))) return 0;
  std::uint64_t asleep = reached_by(queue, read, mask);
  const std::uint64_t others = waiting & ~asleep;
  const auto sleepers = static_cast<unsigned>(__builtin_popcountll(asleep));
  unsigned woken = 0;
  if (count >= sleepers) {
    woken = sleepers;
    asleep = 0;
  }
  for (; woken < count && asleep != 0; ++woken) {
    std::uint32_t which = execution.choose(
        Operation::which_waiter, static_cast<std::uint32_t>(__builtin_popcountll(asleep)), pc);
    std::uint64_t left = asleep;
    while (which-- > 0) left &= left - 1;
    asleep &= ~(left & (~left + 1));
  }
  write_queue(queue, what, read, asleep | others, pc);
  return static_cast<int>(woken);
}

}  // namespace fencepost::checker
