// SPDX-License-Identifier: MIT
// Hidden objects of one word each: mutexes, spin locks, semaphores, and the bytes of read-write
// locks.
//
// To take one is a read-modify-write that adds to the word if its value allows that, and that
// blocks its thread while it does not. Nobody is ever behind the news for good: a thread that read
// "held" has its read revisited by whoever lets go; who comes to a mutex or a spin lock does not
// even look before that (explore/overtaking.cpp). The order in which threads come is explored.
#include "sync/locks/words.hpp"

#include <cstdio>

#include "execution/accesses/fences.hpp"
#include "execution/accesses/replay.hpp"
#include "execution/execution.hpp"
#include "execution/loops/loops.hpp"
#include "execution/loops/rounds.hpp"
#include "memory/hash.hpp"

namespace fencepost::checker {
namespace {

// What a word holds that nobody has been to yet.
void prepare_words(const Event& e, std::uint64_t initial) {
  for (LocationId id = e.location; id <= e.location + e.more; ++id) {
    Location& l = execution.graph().location(id);
    if (!l.untouched()) continue;
    l.initial = initial;
    if (objects[id].kind != ObjectKind::rwlock) continue;
    l.offset = objects[id].size;
    l.bytes = 1;
  }
}

// A change that the graph has, both halves, and from which nobody has to wait.
bool replay_word_change(const WordChange& c, std::uint64_t pc) {
  if (!may_replay(2)) return false;
  Thread& t = *execution.current;
  const Event& read = t.log[t.cursor];
  const Event& write = t.log[t.cursor + 1];
  if (read.kind != Kind::read || read.what != c.what || read.pc != pc || read.more != 0 ||
      write.kind != Kind::write || write.what != c.what || write.pc != pc ||
      !objects.is_of_word(read, c.kind, c.address, c.word) || !is_replayed(read.from)) {
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

std::uint64_t holder_that_was_read(const Thread& t) {
  return execution.graph().at(t.id, t.cursor - 1).value - 1;
}

}  // namespace

const Event& read_word(const WordChange& c, std::uint16_t half, std::uint64_t pc) {
  const std::uint64_t asked = mix(c.address, c.operand);
  if (c.may_repeat) loop_rounds.pass(pc);
  if (const Event* read = execution.replay(Kind::read, c.what, pc)) {
    objects.same_word(*read, c.kind, c.address, c.word, pc);
    if (objects.looks_at_initial_values) [[unlikely]] {
      const Order wanted = c.acquires ? Order::acquire : Order::relaxed;
      execution.same(
          (read->flags & ~(kForced | kUnfit | kTwin | kOvertook)) == (half | c.condition) &&
              read->order_done == wanted && read->order_failed == Order::relaxed &&
              read->operand == c.operand && read->more == c.more,
          pc);
      for (LocationId id = read->location; id <= read->location + read->more; ++id) {
        if (objects.is_first_at(id))
          execution.same(execution.graph().location(id).initial == c.initial, pc);
      }
    }
    ++execution.current->cursor;
  } else {
    Event e = word_event(c.what, objects.hidden(c.kind, c.address) + c.word, pc);
    if (c.may_repeat) e.state = private_state(pc, asked);
    execution.before_new_event(pc, c.waits_for_turn ? e.location : kNoLocation);
    if (c.may_repeat) cut_repetition(e.state, pc);
    e.more = c.more;
    prepare_words(e, c.initial);
    e.flags = static_cast<std::uint16_t>(half | c.condition);
    e.order = e.order_done = c.acquires ? Order::acquire : Order::relaxed;
    e.order_failed = Order::relaxed;
    e.operand = c.operand;
    const MixedSize mixed{};
    execution.read_event(e, c.more != 0 ? &mixed : nullptr);
  }
  const EventId read = execution.last_event();
  const Event& e = execution.graph().at(read);
  if (is_blocked(e)) execution.block(c.why, pc, c.address, e.location);
  return execution.graph().at(read);
}

bool change_word(const WordChange& c, std::uint64_t pc, std::uint64_t* seen) {
  Thread& t = *execution.current;
  if (c.begins_section && (c.condition & kAwait) == 0) loop_rounds.lock_was_tried = true;
  if (c.otherwise == 0 && replay_word_change(c, pc)) {
    if (seen != nullptr) *seen = t.log[t.cursor - 2].value;
    return true;
  }
  const std::uint32_t before = t.effects;
  const Event e = read_word(c, kRmw, pc);
  const MixedSize mixed{};
  const MixedSize* const several = c.more != 0 ? &mixed : nullptr;
  if (seen != nullptr) *seen = e.value;
  if (!succeeds(e)) {
    if (c.begins_section) attempt_fails();
    return false;
  }
  if (c.why != Block::none) t.block_timed = false;
  const bool as_wanted = c.otherwise == 0 || (e.value & c.operand) == 0;
  if (Event* write = execution.replay(Kind::write, c.what, pc)) {
    execution.same(write->location == e.location &&
                       write->value == e.value + (as_wanted ? c.add : c.otherwise) &&
                       write->order == (c.releases ? Order::release : Order::relaxed),
                   pc);
    if (ends_section(c.what)) t.leave_section(write->location);
    t.repeat(*write);
    ++t.cursor;
  } else {
    execution.before_new_event(pc);
    Event w = word_event(c.what, e.location, pc);
    w.more = c.more;
    w.flags = kRmw;
    w.order = c.releases ? Order::release : Order::relaxed;
    w.value = e.value + (as_wanted ? c.add : c.otherwise);
    w.operand = as_wanted ? c.note : c.note_otherwise;
    w.rmw_read = static_cast<std::uint16_t>(t.cursor - 1);
    execution.write_event(w, several);
  }
  if (c.begins_section && as_wanted) t.enter_section(e.location, before);
  return as_wanted;
}

void write_word(ObjectKind kind, Operation what, std::uintptr_t address, std::uint64_t value,
                Order order, std::uint16_t flags, std::uint64_t pc, std::uint8_t more) {
  if (may_replay(1)) {
    Thread& t = *execution.current;
    const Event& e = t.log[t.cursor];
    if (e.kind == Kind::write && e.what == what && e.pc == pc &&
        objects.is_of_word(e, kind, address, 0)) {
      if (ends_section(what)) t.leave_section(e.location);
      t.repeat(e);
      ++t.cursor;
      return;
    }
  }
  if (Event* e = execution.replay(Kind::write, what, pc)) {
    objects.same_word(*e, kind, address, 0, pc);
    execution.same(e->value == value && e->order == order, pc);
    if (ends_section(what)) execution.current->leave_section(e->location);
    execution.current->repeat(*e);
    ++execution.current->cursor;
    return;
  }
  execution.before_new_event(pc);
  Event e = word_event(what, objects.hidden(kind, address), pc);
  e.more = more;
  e.order = order;
  e.flags = flags;
  e.value = value;
  const MixedSize mixed{};
  if (more != 0) prepare_words(e, 0);
  execution.write_event(e, more != 0 ? &mixed : nullptr);
}

// An object that nobody has used yet begins with its initial value; one that is initialised again
// is written.
void initialise_word(ObjectKind kind, Operation what, std::uintptr_t address, std::uint64_t value,
                     std::uint64_t pc, std::uint8_t more) {
  const LocationId id = objects.hidden(kind, address);
  Graph& g = execution.graph();
  const Thread& t = *execution.current;
  const bool repeats = t.cursor < g.size(t.id);
  if (repeats ? g.at(t.id, t.cursor).what != what : words_untouched(id, more)) return;
  write_word(kind, what, address, value, Order::plain, 0, pc, more);
}

bool words_untouched(LocationId first, std::uint8_t more) {
  for (LocationId id = first; id <= first + more; ++id) {
    if (!execution.graph().location(id).untouched()) return false;
  }
  return true;
}

// What a thread did last to an object in its first `events` events; kInitial if nothing.
EventId last_write_of(unsigned thread, LocationId location, std::uint32_t events,
                      std::uint8_t more) {
  for (std::uint32_t i = events; i-- > 0;) {
    const Event& e = execution.graph().at(thread, i);
    if (e.kind == Kind::write && e.location - location <= more) return event_id(thread, i);
  }
  return kInitial;
}

unsigned known_holder(std::uintptr_t mutex, ObjectKind kind) {
  const LocationId location = objects.hidden(kind, mutex);
  const Graph& g = execution.graph();
  for (unsigned t = 0; t < g.threads(); ++t) {
    const std::uint32_t known =
        t == execution.current->id ? execution.current->cursor : execution.clock()[t];
    const EventId last = last_write_of(t, location, known);
    if (last != kInitial && execution.graph().at(last).value == t + 1) return t;
  }
  return kMaxThreads;
}

void describe_held(const Thread& t, const char* lock, char* message, std::size_t size) {
  std::snprintf(message, size, "thread %u waits for the %s at 0x%lx, held by thread %lu, for ever",
                t.id, lock, static_cast<unsigned long>(t.block_object),
                static_cast<unsigned long>(holder_that_was_read(t)));
}

std::uint64_t holder_by_last_read(const Thread& t) {
  return std::uint64_t{1} << holder_that_was_read(t);
}

}  // namespace fencepost::checker
