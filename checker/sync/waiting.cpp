// SPDX-License-Identifier: MIT
// Futexes, condition variables and joining.
//
// Sleepers on a futex word or a condition variable are a bit set in another hidden object, changed
// only by read-modify-writes, so that their order is explored like any other: to wait is to set
// one's bit, to wake is to clear bits. That is what man 2 futex promises: compare-and-sleep is
// totally ordered with the other futex operations on the word. Those of a futex synchronise with
// each other in that order, as the kernel's bucket lock makes them; those of a condition variable
// do not, C++ does not promise it. Which of several waiters is woken is a choice.
#include <pthread.h>

#include "execution/runtime.hpp"
#include "sync/word_event.hpp"

namespace fencepost::checker {

bool Runtime::chooses_timeout(std::uint64_t pc, Operation what) {
  if (what == Operation::times_out) counters.timed_waits = 1;
  if (current->timeouts_taken >= options.timeouts) return false;
  if (choose(what, 2, pc) == 0) return false;
  ++current->timeouts_taken;
  return true;
}

// Of a thread that is to sleep: how it wakes if nobody wakes it, `woken` if it does not. Each
// thread does so as often as the options say, for each reason.
bool Runtime::limit_has_passed() {
  constexpr std::uint8_t kMostTold = 2;
  if (current->passed_limits == kMostTold) return false;
  ++current->passed_limits;
  return true;
}

Runtime::Waited Runtime::leaves_early(Limit limit, std::uint64_t pc) {
  counters.waits = 1;
  if (limit == Limit::passed && limit_has_passed()) return Waited::timed_out;
  if (limit != Limit::none && chooses_timeout(pc)) return Waited::timed_out;
  if (current->spurious_taken >= options.spurious) return Waited::woken;
  if (choose(Operation::spurious_wakeup, 2, pc) == 0) return Waited::woken;
  ++current->spurious_taken;
  return Waited::spurious;
}

EventId Runtime::enter_queue(ObjectKind kind, std::uintptr_t address, Operation what,
                             std::uint64_t pc) {
  if (const Event* e = replay(Kind::read, what, pc)) {
    same_word(*e, kind, address, 0, pc);
    ++current->cursor;
    return last_event();
  }
  before_new_event(pc);
  Event e = word_event(what, hidden(kind, address), pc);
  e.flags = kRmw;
  if (what == Operation::cond_wake) {  // where nobody sleeps the C library only looks
    e.flags |= kCompare | kIfAny;
    e.operand = ~std::uint64_t{0};
  }
  e.order = kind == ObjectKind::futex_queue ? Order::acquire : Order::relaxed;
  read_event(e);
  return last_event();
}

void Runtime::write_queue(LocationId queue, Operation what, EventId read, std::uint64_t value,
                          std::uint64_t pc, std::uint64_t note) {
  const std::uint64_t cleared = graph().at(read).value & ~value;
  if (Event* e = replay(Kind::write, what, pc)) {
    same(e->location == queue && e->value == value, pc);
    same(e->operand == note, pc);
    current->repeat(*e);
    ++current->cursor;
    return;
  }
  before_new_event(pc);
  Event e = word_event(what, queue, pc);
  e.flags = kRmw;
  if (cleared == 0 && value == graph().at(read).value) e.flags |= kSilent;
  e.order = objects_[queue].kind == ObjectKind::futex_queue ? Order::release : Order::relaxed;
  e.value = value;
  e.rmw_read = static_cast<std::uint16_t>(read.index());
  e.operand = note;
  write_event(e);
  for (std::uint64_t left = cleared; left != 0; left &= left - 1) {
    Thread& t = threads_[__builtin_ctzll(left)];
    if (t.state == ThreadState::blocked && t.block_location == queue) wake(t);
  }
}

// After the thread's bit has been set by `announced`: until it is cleared.
Runtime::Waited Runtime::sleep(LocationId queue, Block why, Operation woken, Operation timed_out,
                               std::uintptr_t address, EventId announced, bool timed,
                               bool timed_choice, std::uint64_t pc) {
  Thread& t = *current;
  t.block_timed = timed;
  const std::uint64_t bit = std::uint64_t{1} << t.id;
  if (timed_choice) {
    const EventId read = enter_queue(objects_[queue].kind, address, timed_out, pc);
    const std::uint64_t waiting = graph().at(read).value;
    write_queue(queue, timed_out, read, waiting & ~bit, pc);
    return (waiting & bit) != 0 ? Waited::timed_out : Waited::woken;
  }
  for (;;) {
    if (Event* e = replay(Kind::read, woken, pc)) {
      t.repeat(*e);
      ++t.cursor;
      return Waited::woken;
    }
    before_new_event(pc);
    Graph& g = graph();
    Location& l = g.location(queue);
    for (std::uint32_t k = g.at(announced).mo + 1; k < l.writes.size(); ++k) {
      if ((g.at(l.writes[k]).value & bit) != 0) continue;
      Event e = word_event(woken, queue, pc);
      e.kind = Kind::read;
      e.order = objects_[queue].kind == ObjectKind::futex_queue ? Order::acquire : Order::relaxed;
      e.from = l.writes[k];
      t.effect();
      e.effects = t.effects;
      explorer.add_forced_read(t.id, e);
      ++t.cursor;
      return Waited::woken;
    }
    block(why, pc, address, queue);
  }
}

// Of the sleepers that `read` found in the queue, those that a wake-up with this mask reaches.
std::uint64_t Runtime::reached_by(LocationId queue, EventId read, std::uint64_t mask) {
  Graph& g = graph();
  const std::uint64_t waiting = g.at(read).value;
  if (objects_[queue].kind == ObjectKind::condition) return waiting;
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

// What the kernel compares: the word, or the half of a wider object that lies there.
std::uint64_t Runtime::futex_value(const Event& read, std::uintptr_t address) {
  if (read.size == 4) return read.value;
  return read.value >> (8 * (address - objects_[read.location].address)) & 0xffffffffU;
}

Runtime::Waited Runtime::futex_wait(std::uintptr_t address, std::uint32_t expected,
                                    std::uint64_t mask, Limit limit, std::uint64_t pc) {
  Thread& t = *current;
  const EventId read = enter_queue(ObjectKind::futex_queue, address, Operation::futex_wait, pc);
  const LocationId queue = graph().at(read).location;
  std::uint64_t value;
  if (Event* e = replay(Kind::read, Operation::futex_value, pc)) {
    ++t.cursor;
    value = futex_value(*e, address);
  } else {
    before_new_event(pc);
    check_atomic_access(address, 4, false, pc);
    Event e2{};
    e2.what = Operation::futex_value;
    e2.order = Order::relaxed;
    e2.pc = pc;
    e2.size = 8;
    e2.location = wide_location(address);
    const MixedSize mixed{};
    if (e2.location == 0) place_access(&e2, address, 4, pc);
    read_event(e2, &mixed);
    value = futex_value(graph().at(last_event()), address);
  }
  const std::uint64_t waiting = graph().at(read).value;
  const std::uint64_t bit = std::uint64_t{1} << t.id;
  const bool sleeps = value == expected;
  write_queue(queue, Operation::futex_wait, read, sleeps ? waiting | bit : waiting, pc, mask);
  if (!sleeps) return Waited::changed;
  const EventId announced = last_event();
  const Waited early = leaves_early(limit, pc);
  const bool timed = limit != Limit::none;
  const Waited waited = sleep(queue, Block::futex, Operation::futex_woken, Operation::futex_timeout,
                              address, announced, timed, early != Waited::woken, pc);
  t.block_timed = false;
  return waited == Waited::timed_out ? early : waited;
}

int Runtime::wake_waiters(ObjectKind kind, std::uintptr_t address, unsigned count,
                          std::uint64_t mask, std::uint64_t pc) {
  const Operation what =
      kind == ObjectKind::condition ? Operation::cond_wake : Operation::futex_wake;
  const EventId read = enter_queue(kind, address, what, pc);
  const LocationId queue = graph().at(read).location;
  const std::uint64_t waiting = graph().at(read).value;
  if (!succeeds(graph().at(read))) return 0;
  std::uint64_t asleep = reached_by(queue, read, mask);
  const std::uint64_t others = waiting & ~asleep;
  const auto sleepers = static_cast<unsigned>(__builtin_popcountll(asleep));
  unsigned woken = 0;
  if (count >= sleepers) {
    woken = sleepers;
    asleep = 0;
  }
  for (; woken < count && asleep != 0; ++woken) {
    std::uint32_t which = choose(Operation::which_waiter,
                                 static_cast<std::uint32_t>(__builtin_popcountll(asleep)), pc);
    std::uint64_t left = asleep;
    while (which-- > 0) left &= left - 1;
    asleep &= ~(left & (~left + 1));
  }
  write_queue(queue, what, read, asleep | others, pc);
  return static_cast<int>(woken);
}

// While some wait with one mutex nobody may wait with another. Looks at those that `read` found in
// the queue.
void Runtime::must_wait_with(std::uint32_t mutex, LocationId queue, EventId read,
                             std::uint64_t pc) {
  Graph& g = graph();
  const Location& l = g.location(queue);
  std::uint64_t left = g.at(read).value;
  for (std::uint32_t k = g.rank(g.at(read).from); left != 0 && k-- > 0;) {
    const EventId announced = l.writes[k];
    const std::uint64_t bit = std::uint64_t{1} << announced.thread();
    if (g.at(announced).what != Operation::cond_wait || (left & bit) == 0) continue;
    left &= ~bit;
    if (g.at(announced).operand == mutex) continue;
    violation.highlight[0] = announced;
    violation.highlights = 1;
    violate("memory", pc,
            "thread %u waits on a condition variable on which thread %u sleeps with another mutex "
            "(other pc 0x%lx)",
            current->id, announced.thread(), static_cast<unsigned long>(g.at(announced).pc));
  }
}

Runtime::Waited Runtime::condition_wait(std::uintptr_t condition, std::uintptr_t mutex, bool binds,
                                        bool releases, Limit limit, std::uint64_t pc) {
  Thread& t = *current;
  const Waited early = leaves_early(limit, pc);
  const bool timed = limit != Limit::none;
  const EventId read = enter_queue(ObjectKind::condition, condition, Operation::cond_wait, pc);
  const LocationId queue = graph().at(read).location;
  const std::uint64_t waiting = graph().at(read).value;
  const auto bound_to = binds ? static_cast<std::uint32_t>(mutex / alignof(std::uint64_t)) : ~0U;
  must_wait_with(bound_to, queue, read, pc);
  write_queue(queue, Operation::cond_wait, read, waiting | std::uint64_t{1} << t.id, pc, bound_to);
  const EventId announced = last_event();
  will_use_last(condition, sizeof(pthread_cond_t), pc);
  if (releases) unlock_mutex(mutex, pc);
  const Waited waited =
      sleep(queue, Block::condition, Operation::cond_woken, Operation::cond_timeout, condition,
            announced, timed, early != Waited::woken, pc);
  t.block_timed = false;
  uses_last(pc);
  if (releases) lock_mutex(mutex, pc);
  return waited == Waited::timed_out ? early : waited;
}

// A hidden word for each command that asks for registration. How the kernel orders registering and
// looking is not relied upon: only that a thread knows of what happened before.
void Runtime::register_membarrier(unsigned command, bool before_main, std::uint64_t pc) {
  if (before_main) {
    registered_before_main_ |= command;
    return;
  }
  Event e{};
  e.what = Operation::membarrier_register;
  e.pc = pc;
  e.size = 4;
  e.location = hidden(ObjectKind::membarrier, command);
  e.flags = kRmw;
  e.order = Order::relaxed;
  std::uint64_t registered;
  if (Event* read = replay(Kind::read, e.what, pc)) {
    ++current->cursor;
    registered = read->value;
  } else {
    before_new_event(pc);
    Location& l = graph().location(e.location);
    if (l.untouched()) l.initial = (registered_before_main_ & command) != 0 ? 1 : 0;
    registered = read_event(e);
  }
  if (Event* write = replay(Kind::write, e.what, pc)) {
    current->repeat(*write);
    ++current->cursor;
    return;
  }
  before_new_event(pc);
  e.value = 1;
  e.rmw_read = static_cast<std::uint16_t>(current->cursor - 1);
  if (registered == 1) e.flags |= kSilent;
  write_event(e);
}

bool Runtime::membarrier_registered(unsigned command, std::uint64_t pc) {
  if (Event* read = replay(Kind::read, Operation::membarrier_registered, pc)) {
    ++current->cursor;
    return read->value != 0;
  }
  before_new_event(pc);
  Event e{};
  e.what = Operation::membarrier_registered;
  e.pc = pc;
  e.size = 4;
  e.location = hidden(ObjectKind::membarrier, command);
  e.order = Order::relaxed;
  Location& l = graph().location(e.location);
  if (l.untouched()) l.initial = (registered_before_main_ & command) != 0 ? 1 : 0;
  return read_event(e) != 0;
}

bool Runtime::beside_others() const {
  for (unsigned i = 0; i < thread_count_; ++i) {
    const Thread& t = threads_[i];
    if (&t != current && t.state != ThreadState::absent && !t.joined) return true;
  }
  return false;
}

unsigned Runtime::waits_for_object(std::uintptr_t address) {
  for (unsigned i = 0; i < thread_count_; ++i) {
    const Thread& t = threads_[i];
    if (t.state == ThreadState::blocked && t.block_object == address) return i;
  }
  return kMaxThreads;
}

void* Runtime::join(unsigned id, bool asks, std::uint64_t pc) {
  Thread& other = threads_[id];
  for (;;) {
    if (repeats(Operation::none, pc)) {
      same(graph().at(last_event()).operand == id, pc);
      break;
    }
    before_new_event(pc);
    const unsigned size = graph().size(id);
    const Event* last = size == 0 ? nullptr : &graph().at(id, size - 1);
    if (last != nullptr && last->kind == Kind::end && last->what != Operation::process_end) {
      current->effect();
      come_after(Operation::none, event_id(id, size - 1), pc);
      break;
    }
    block(Block::join, pc, id, 0);
  }
  // By somebody else meanwhile; it could as well have been before.
  if (other.joined || other.detached) {
    violate("memory", pc, "thread %u joins thread %u, which another thread has %s", current->id, id,
            other.joined ? "joined" : "detached");
  }
  other.joined = true;
  if (options.symmetry) symmetry.joined(other, asks, pc);
  return other.result;
}

}  // namespace fencepost::checker
