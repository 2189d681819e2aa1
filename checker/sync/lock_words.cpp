// SPDX-License-Identifier: MIT
// Mutexes, spin locks and semaphores: hidden objects of one word each. Read-write locks go on in
// read_write_locks.cpp.
//
//   mutex, spin lock   0 free, thread + 1 held
//   semaphore          its value
//
// To take one is a read-modify-write that adds to the word if its value allows that, and that
// blocks its thread while it does not. Nobody is ever behind the news for good: a thread that read
// "held" has its read revisited by whoever lets go. The order in which threads come is explored.
#include "execution/replay.hpp"
#include "sync/word_event.hpp"

namespace fencepost::checker {

// What a word holds that nobody has been to yet.
void Runtime::prepare_words(const Event& e, std::uint64_t initial) {
  for (LocationId id = e.location; id <= e.location + e.more; ++id) {
    Location& l = graph().location(id);
    if (!l.untouched()) continue;
    l.initial = initial;
    if (objects_[id].kind != ObjectKind::rwlock) continue;
    l.offset = objects_[id].size;
    l.bytes = 1;
  }
}

const Event& Runtime::read_word(const WordChange& c, std::uint16_t half, std::uint64_t pc) {
  if (c.may_repeat) pass_round(pc);
  if (const Event* read = replay(Kind::read, c.what, pc)) {
    same_word(*read, c.kind, c.address, c.word, pc);
    if (looks_at_initial_values_) [[unlikely]] {
      const Order wanted = c.acquires ? Order::acquire : Order::relaxed;
      same((read->flags & ~(kForced | kUnfit | kTwin)) == (half | c.condition) &&
               read->order_done == wanted && read->order_failed == Order::relaxed &&
               read->operand == c.operand && read->more == c.more,
           pc);
      for (LocationId id = read->location; id <= read->location + read->more; ++id) {
        if (is_first_at(id)) same(graph().location(id).initial == c.initial, pc);
      }
    }
    ++current->cursor;
  } else {
    Event e = word_event(c.what, hidden(c.kind, c.address) + c.word, pc);
    if (c.may_repeat) e.state = private_state(pc);
    before_new_event(pc);
    if (c.may_repeat) cut_repetition(e.state, pc);
    e.more = c.more;
    prepare_words(e, c.initial);
    e.flags = static_cast<std::uint16_t>(half | c.condition);
    e.order = e.order_done = c.acquires ? Order::acquire : Order::relaxed;
    e.order_failed = Order::relaxed;
    e.operand = c.operand;
    const MixedSize mixed{};
    read_event(e, c.more != 0 ? &mixed : nullptr);
  }
  const EventId read = last_event();
  const Event& e = graph().at(read);
  if (is_blocked(e)) block(c.why, pc, c.address, e.location);
  return graph().at(read);
}

// A change that the graph has, both halves, and from which nobody has to wait.
bool Runtime::replay_word_change(const WordChange& c, std::uint64_t pc) {
  if (!may_replay(2)) return false;
  Thread& t = *current;
  const Event& read = t.log[t.cursor];
  const Event& write = t.log[t.cursor + 1];
  if (read.kind != Kind::read || read.what != c.what || read.pc != pc || read.more != 0 ||
      write.kind != Kind::write || write.what != c.what || write.pc != pc ||
      !is_of_word(read, c.kind, c.address, c.word) || !is_replayed(read.from)) {
    return false;
  }
  const std::uint32_t before = t.effects;
  if (c.why != Block::none) t.block_timed = false;
  if (ends_section(c.what)) t.leave_section(write.location);
  t.repeat(write);
  t.cursor += 2;
  if (c.begins_section) t.enter_section(read.location, before);
  return true;
}

bool Runtime::change_word(const WordChange& c, std::uint64_t pc, std::uint64_t* seen) {
  Thread& t = *current;
  if (c.begins_section && (c.condition & kAwait) == 0) lock_was_tried_ = true;
  if (c.otherwise == 0 && replay_word_change(c, pc)) {
    if (seen != nullptr) *seen = t.log[t.cursor - 2].value;
    return true;
  }
  const std::uint32_t before = t.effects;
  const Event e = read_word(c, kRmw, pc);
  const MixedSize mixed{};
  const MixedSize* const several = c.more != 0 ? &mixed : nullptr;
  if (seen != nullptr) *seen = e.value;
  if (!succeeds(e)) return false;
  if (c.why != Block::none) t.block_timed = false;
  const bool as_wanted = c.otherwise == 0 || (e.value & c.operand) == 0;
  if (Event* write = replay(Kind::write, c.what, pc)) {
    same(write->location == e.location &&
             write->value == e.value + (as_wanted ? c.add : c.otherwise) &&
             write->order == (c.releases ? Order::release : Order::relaxed),
         pc);
    if (ends_section(c.what)) t.leave_section(write->location);
    t.repeat(*write);
    ++t.cursor;
  } else {
    before_new_event(pc);
    Event w = word_event(c.what, e.location, pc);
    w.more = c.more;
    w.flags = kRmw;
    w.order = c.releases ? Order::release : Order::relaxed;
    w.value = e.value + (as_wanted ? c.add : c.otherwise);
    w.operand = as_wanted ? c.note : c.note_otherwise;
    w.rmw_read = static_cast<std::uint16_t>(t.cursor - 1);
    write_event(w, several);
  }
  if (c.begins_section && as_wanted) t.enter_section(e.location, before);
  return as_wanted;
}

void Runtime::write_word(ObjectKind kind, Operation what, std::uintptr_t address,
                         std::uint64_t value, Order order, std::uint16_t flags, std::uint64_t pc,
                         std::uint8_t more) {
  if (may_replay(1)) {
    Thread& t = *current;
    const Event& e = t.log[t.cursor];
    if (e.kind == Kind::write && e.what == what && e.pc == pc && is_of_word(e, kind, address, 0)) {
      if (ends_section(what)) t.leave_section(e.location);
      t.repeat(e);
      ++t.cursor;
      return;
    }
  }
  if (Event* e = replay(Kind::write, what, pc)) {
    same_word(*e, kind, address, 0, pc);
    same(e->value == value && e->order == order, pc);
    if (ends_section(what)) current->leave_section(e->location);
    current->repeat(*e);
    ++current->cursor;
    return;
  }
  before_new_event(pc);
  Event e = word_event(what, hidden(kind, address), pc);
  e.more = more;
  e.order = order;
  e.flags = flags;
  e.value = value;
  const MixedSize mixed{};
  if (more != 0) prepare_words(e, 0);
  write_event(e, more != 0 ? &mixed : nullptr);
}

// An object that nobody has used yet begins with its initial value; one that is initialised again
// is written.
void Runtime::initialise_word(ObjectKind kind, Operation what, std::uintptr_t address,
                              std::uint64_t value, std::uint64_t pc, std::uint8_t more) {
  const LocationId id = hidden(kind, address);
  Graph& g = graph();
  const Thread& t = *current;
  const bool repeats = t.cursor < g.size(t.id);
  if (repeats ? g.at(t.id, t.cursor).what != what : words_untouched(id, more)) return;
  write_word(kind, what, address, value, Order::plain, 0, pc, more);
}

bool Runtime::words_untouched(LocationId first, std::uint8_t more) {
  for (LocationId id = first; id <= first + more; ++id) {
    if (!graph().location(id).untouched()) return false;
  }
  return true;
}

// What a thread did last to an object in its first `events` events; kInitial if nothing.
EventId Runtime::last_write_of(unsigned thread, LocationId location, std::uint32_t events,
                               std::uint8_t more) {
  for (std::uint32_t i = events; i-- > 0;) {
    const Event& e = graph().at(thread, i);
    if (e.kind == Kind::write && e.location - location <= more) return event_id(thread, i);
  }
  return kInitial;
}

// ---- mutexes and spin locks

bool Runtime::lock_mutex(std::uintptr_t address, std::uint64_t pc, bool may_repeat) {
  return change_word({.kind = ObjectKind::mutex,
                      .what = Operation::mutex_lock,
                      .address = address,
                      .condition = kCompare | kAwait,
                      .add = current->id + 1,
                      .why = Block::mutex,
                      .may_repeat = may_repeat,
                      .begins_section = true},
                     pc);
}

bool Runtime::try_lock_mutex(std::uintptr_t address, std::uint64_t pc, bool may_repeat) {
  return change_word({.kind = ObjectKind::mutex,
                      .what = Operation::mutex_trylock,
                      .address = address,
                      .condition = kCompare,
                      .add = current->id + 1,
                      .may_repeat = may_repeat,
                      .begins_section = true},
                     pc);
}

void Runtime::unlock_mutex(std::uintptr_t address, std::uint64_t pc) {
  // kLocked: glibc and the kernel leave with a locked instruction.
  write_word(ObjectKind::mutex, Operation::mutex_unlock, address, 0, Order::release, kLocked, pc);
}

void Runtime::initialise_mutex(std::uintptr_t address, std::uint64_t pc) {
  initialise_word(ObjectKind::mutex, Operation::mutex_init, address, 0, pc);
}

std::uint64_t Runtime::mutex_owner(std::uintptr_t address) {
  const Thread& t = *current;
  const Event* next = t.cursor < t.logged ? &t.log[t.cursor] : nullptr;
  if (next != nullptr && next->what == Operation::mutex_unlock &&
      is_of_word(*next, ObjectKind::mutex, address, 0)) {
    return t.id + 1;  // it has let go of it before
  }
  // Others cannot take away what this thread holds.
  const LocationId location = hidden(ObjectKind::mutex, address);
  const EventId last = last_write_of(current->id, location, current->cursor);
  return last == kInitial ? 0 : graph().at(last).value;
}

void Runtime::lock_spin(std::uintptr_t address, std::uint64_t pc) {
  change_word({.kind = ObjectKind::spin_lock,
               .what = Operation::spin_lock,
               .address = address,
               .condition = kCompare | kAwait,
               .add = current->id + 1,
               .why = Block::spin_lock,
               .may_repeat = true,
               .begins_section = true},
              pc);
}

bool Runtime::try_lock_spin(std::uintptr_t address, std::uint64_t pc) {
  return change_word({.kind = ObjectKind::spin_lock,
                      .what = Operation::spin_trylock,
                      .address = address,
                      .condition = kCompare,
                      .add = current->id + 1,
                      .may_repeat = true,
                      .begins_section = true},
                     pc);
}

bool Runtime::unlock_spin(std::uintptr_t address, std::uint64_t pc) {
  const LocationId location = hidden(ObjectKind::spin_lock, address);
  const EventId last = last_write_of(current->id, location, current->cursor);
  if (last == kInitial || graph().at(last).value != current->id + 1) return false;
  // Not kLocked: glibc's is a plain store on x86-64.
  write_word(ObjectKind::spin_lock, Operation::spin_unlock, address, 0, Order::release, 0, pc);
  return true;
}

// ---- semaphores

bool Runtime::take_from_semaphore(std::uintptr_t address, std::uint64_t initial, bool waits,
                                  std::uint64_t pc, bool may_repeat) {
  WordChange c{.kind = ObjectKind::semaphore,
               .what = waits ? Operation::semaphore_wait : Operation::semaphore_trywait,
               .address = address,
               .initial = initial,
               .condition = kCompare | kIfAny,
               .operand = ~std::uint64_t{0},
               .add = ~std::uint64_t{0},
               .why = Block::semaphore,
               .may_repeat = may_repeat};
  if (waits) c.condition |= kAwait;
  return change_word(c, pc);
}

std::uint64_t Runtime::post_semaphore(std::uintptr_t address, std::uint64_t initial,
                                      std::uint64_t pc) {
  std::uint64_t old;
  change_word({.kind = ObjectKind::semaphore,
               .what = Operation::semaphore_post,
               .address = address,
               .initial = initial,
               .add = 1,
               .acquires = false,
               .releases = true},
              pc, &old);
  return old;
}

std::uint64_t Runtime::semaphore_value(std::uintptr_t address, std::uint64_t initial,
                                       std::uint64_t pc) {
  return read_word({.kind = ObjectKind::semaphore,
                    .what = Operation::semaphore_value,
                    .address = address,
                    .initial = initial,
                    .acquires = false,
                    .may_repeat = true},
                   0, pc)
      .value;
}

}  // namespace fencepost::checker
