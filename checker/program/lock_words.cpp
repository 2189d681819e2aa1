// SPDX-License-Identifier: MIT
// Mutexes, spin locks, read-write locks and semaphores: hidden objects of one word each.
//
//   mutex, spin lock   0 free, thread + 1 held
//   read-write lock    waiting writers | readers << 16 | (writing thread + 1) << 32
//   semaphore          its value
//
// To take one is a read-modify-write that adds to the word if its value allows that, and that
// blocks its thread while it does not. Nobody is ever behind the news for good: a thread that read
// "held" has its read revisited by whoever lets go. The order in which threads come is explored.
//
// What synchronises is what the standards promise, not what a word in memory would: a reader learns
// of writers before it, not of other readers. So readers change the word relaxed, and a writer is
// joined to each reader that left before it came (Kind::join, as a thread is joined).
//
// Writers go before readers only in a lock of the kind
// PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP: there a writer announces itself before it waits,
// and readers wait for it. glibc's default lets readers in while a writer waits, and its
// PTHREAD_RWLOCK_PREFER_WRITER_NP does the same.
#include "program/runtime.hpp"
#include "program/word_event.hpp"

namespace fencepost::checker {
namespace {

constexpr std::uint64_t kWaitingWriter = 1;
constexpr std::uint64_t kWaitingWriters = 0xffff;
constexpr std::uint64_t kReader = std::uint64_t{1} << 16;
constexpr std::uint64_t kReaders = std::uint64_t{0xffff} << 16;
constexpr std::uint64_t kWriterShift = 32;
constexpr std::uint64_t kWriters = ~std::uint64_t{0} << kWriterShift;

std::uint64_t writing(const Thread& t) { return std::uint64_t{t.id + 1} << kWriterShift; }

}  // namespace

bool Runtime::change_word(const WordChange& c, std::uint64_t pc, std::uint64_t* seen) {
  Thread& t = *current;
  const std::uint32_t before = t.effects;
  Event e = word_event(c.what, hidden(c.kind, c.address), pc);
  std::uint64_t old;
  if (Event* read = replay(Kind::read, e.what, pc)) {
    same(read->location == e.location, pc);
    ++t.cursor;
    e = *read;
    old = read->value;
  } else {
    if (c.may_repeat) e.state = private_state(pc);
    before_new_event(pc);
    if (c.may_repeat) cut_repetition(e.state, pc);
    Location& l = graph().location(e.location);
    if (l.untouched()) l.initial = c.initial;
    e.flags = static_cast<std::uint16_t>(kRmw | c.condition);
    e.order = e.order_done = c.acquires ? Order::acquire : Order::relaxed;
    e.order_failed = Order::relaxed;
    e.operand = c.operand;
    old = read_event(e);
    e.value = old;
  }
  if (seen != nullptr) *seen = old;
  if (is_blocked(e)) block(c.why, pc, c.address, e.location);
  if (!succeeds(e)) return false;
  t.block_timed = false;
  if (Event* write = replay(Kind::write, c.what, pc)) {
    if (ends_section(c.what)) t.leave_section(write->location);
    t.repeat(*write);
    ++t.cursor;
  } else {
    before_new_event(pc);
    Event w = word_event(c.what, e.location, pc);
    w.flags = kRmw;
    w.order = c.releases ? Order::release : Order::relaxed;
    w.value = old + c.add;
    w.operand = c.note;
    w.rmw_read = static_cast<std::uint16_t>(t.cursor - 1);
    write_event(w);
  }
  if (c.begins_section) t.enter_section(e.location, before);
  return true;
}

void Runtime::write_word(ObjectKind kind, What what, std::uintptr_t address, std::uint64_t value,
                         Order order, std::uint16_t flags, std::uint64_t pc) {
  if (Event* e = replay(Kind::write, what, pc)) {
    if (ends_section(what)) current->leave_section(e->location);
    current->repeat(*e);
    ++current->cursor;
    return;
  }
  before_new_event(pc);
  Event e = word_event(what, hidden(kind, address), pc);
  e.order = order;
  e.flags = flags;
  e.value = value;
  write_event(e);
}

// An object that nobody has used yet begins with its initial value; one that is initialised again
// is written.
void Runtime::initialise_word(ObjectKind kind, What what, std::uintptr_t address,
                              std::uint64_t value, std::uint64_t pc) {
  const LocationId id = hidden(kind, address);
  Graph& g = graph();
  const Thread& t = *current;
  const bool repeats = t.cursor < g.size(t.id);
  if (repeats ? g.at(t.id, t.cursor).what != what : g.location(id).untouched()) return;
  write_word(kind, what, address, value, Order::plain, 0, pc);
}

// What a thread did last to an object in its first `events` events; kInitial if nothing.
EventId Runtime::last_write_of(unsigned thread, LocationId location, std::uint32_t events) {
  for (std::uint32_t i = events; i-- > 0;) {
    const Event& e = graph().at(thread, i);
    if (e.kind == Kind::write && e.location == location) return event_id(thread, i);
  }
  return kInitial;
}

// ---- mutexes and spin locks

bool Runtime::lock_mutex(std::uintptr_t address, std::uint64_t pc, bool may_repeat) {
  return change_word({.kind = ObjectKind::mutex,
                      .what = What::mutex_lock,
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
                      .what = What::mutex_trylock,
                      .address = address,
                      .condition = kCompare,
                      .add = current->id + 1,
                      .may_repeat = may_repeat,
                      .begins_section = true},
                     pc);
}

void Runtime::unlock_mutex(std::uintptr_t address, std::uint64_t pc) {
  // kLocked: glibc and the kernel leave with a locked instruction.
  write_word(ObjectKind::mutex, What::mutex_unlock, address, 0, Order::release, kLocked, pc);
}

void Runtime::initialise_mutex(std::uintptr_t address, std::uint64_t pc) {
  initialise_word(ObjectKind::mutex, What::mutex_init, address, 0, pc);
}

std::uint64_t Runtime::mutex_owner(std::uintptr_t address) {
  // Others cannot take away what this thread holds.
  const LocationId location = hidden(ObjectKind::mutex, address);
  const EventId last = last_write_of(current->id, location, current->cursor);
  return last == kInitial ? 0 : graph().at(last).value;
}

void Runtime::lock_spin(std::uintptr_t address, std::uint64_t pc) {
  change_word({.kind = ObjectKind::spin_lock,
               .what = What::spin_lock,
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
                      .what = What::spin_trylock,
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
  write_word(ObjectKind::spin_lock, What::spin_unlock, address, 0, Order::release, 0, pc);
  return true;
}

// ---- read-write locks

// Each change of the word by a thread notes what the thread holds after it.
Runtime::Held Runtime::rwlock_held(std::uintptr_t address) {
  return rwlock_held_by(current->id, hidden(ObjectKind::rwlock, address), current->cursor);
}

Runtime::Held Runtime::rwlock_held_by(unsigned thread, LocationId rwlock, std::uint32_t events) {
  const EventId last = last_write_of(thread, rwlock, events);
  const std::uint64_t note = last == kInitial ? 0 : graph().at(last).operand;
  return {(note & kWriters) != 0, static_cast<unsigned>((note & kReaders) / kReader)};
}

unsigned Runtime::rwlock_holder(std::uintptr_t address) {
  const LocationId location = hidden(ObjectKind::rwlock, address);
  for (unsigned i = 0; i < thread_count_; ++i) {
    const std::uint32_t events = i < graph().threads() ? graph().size(i) : 0;
    const Held held =
        rwlock_held_by(i, location, events < threads_[i].cursor ? events : threads_[i].cursor);
    if (held.writing || held.reading != 0) return i;
  }
  return kMaxThreads;
}

bool Runtime::lock_to_read(std::uintptr_t address, const RwlockUse& use, std::uint64_t pc) {
  const Held held = rwlock_held(address);
  WordChange c{.kind = ObjectKind::rwlock,
               .what = use.waits ? What::rwlock_read : What::rwlock_tryread,
               .address = address,
               .condition = kCompare | kIfClear,
               .operand = use.writers_first ? kWriters | kWaitingWriters : kWriters,
               .add = kReader,
               .note = (held.reading + 1) * kReader,
               .why = Block::read_lock,
               .may_repeat = use.may_repeat,
               .begins_section = true};
  if (use.waits) c.condition |= kAwait;
  return change_word(c, pc);
}

bool Runtime::lock_to_write(std::uintptr_t address, const RwlockUse& use, std::uint64_t pc) {
  if (use.announces) {
    change_word({.kind = ObjectKind::rwlock,
                 .what = What::rwlock_announce,
                 .address = address,
                 .add = kWaitingWriter,
                 .note = rwlock_held(address).reading * kReader},
                pc);
  }
  WordChange c{.kind = ObjectKind::rwlock,
               .what = use.waits ? What::rwlock_write : What::rwlock_trywrite,
               .address = address,
               .condition = kCompare | kIfClear,
               .operand = kWriters | kReaders,
               .add = writing(*current) - (use.announces ? kWaitingWriter : 0),
               .note = writing(*current),
               .why = Block::write_lock,
               .may_repeat = use.may_repeat && !use.announces,
               .begins_section = true};
  if (use.waits) c.condition |= kAwait;
  if (!change_word(c, pc)) {
    if (use.announces) withdraw_writer(address, pc);
    return false;
  }
  come_after_readers(c.address, pc);
  return true;
}

// The readers that have left since the last writer came, each thread's last leave.
void Runtime::come_after_readers(std::uintptr_t address, std::uint64_t pc) {
  Thread& t = *current;
  const EventId locked = last_event();
  const LocationId location = hidden(ObjectKind::rwlock, address);
  for (;;) {
    Graph& g = graph();
    if (t.cursor < g.size(t.id)) {
      const Event& next = g.at(t.id, t.cursor);
      if (next.kind != Kind::join || next.what != What::rwlock_readers_left) return;
      t.repeat(*replay(Kind::join, What::rwlock_readers_left, pc));
      ++t.cursor;
      continue;
    }
    EventId left = kInitial;
    Location& l = g.location(location);
    for (std::uint32_t k = g.at(locked).mo; k-- > 0 && left == kInitial;) {
      const Event& w = g.at(l.writes[k]);
      if (w.what == What::rwlock_write || w.what == What::rwlock_trywrite) break;
      if (w.what == What::rwlock_unlock && !Graph::includes(clock(), l.writes[k])) {
        left = l.writes[k];
      }
    }
    if (left == kInitial) return;
    before_new_event(pc);
    come_after(What::rwlock_readers_left, left, pc);
  }
}

void Runtime::withdraw_writer(std::uintptr_t address, std::uint64_t pc) {
  change_word({.kind = ObjectKind::rwlock,
               .what = What::rwlock_withdraw,
               .address = address,
               .add = std::uint64_t{0} - kWaitingWriter,
               .note = rwlock_held(address).reading * kReader},
              pc);
}

bool Runtime::unlock_rwlock(std::uintptr_t address, std::uint64_t pc) {
  const Held held = rwlock_held(address);
  if (!held.writing && held.reading == 0) return false;
  const std::uint64_t gone = held.writing ? writing(*current) : kReader;
  change_word({.kind = ObjectKind::rwlock,
               .what = What::rwlock_unlock,
               .address = address,
               .add = std::uint64_t{0} - gone,
               .note = held.writing ? 0 : (held.reading - 1) * kReader,
               .acquires = false,
               .releases = held.writing},
              pc);
  return true;
}

// ---- semaphores

bool Runtime::take_from_semaphore(std::uintptr_t address, std::uint64_t initial, bool waits,
                                  std::uint64_t pc, bool may_repeat) {
  WordChange c{.kind = ObjectKind::semaphore,
               .what = waits ? What::semaphore_wait : What::semaphore_trywait,
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
               .what = What::semaphore_post,
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
  if (Event* read = replay(Kind::read, What::semaphore_value, pc)) {
    ++current->cursor;
    return read->value;
  }
  const std::uint64_t state = private_state(pc);
  before_new_event(pc);
  cut_repetition(state, pc);
  Event e = word_event(What::semaphore_value, hidden(ObjectKind::semaphore, address), pc);
  e.order = Order::relaxed;
  e.state = state;
  Location& l = graph().location(e.location);
  if (l.untouched()) l.initial = initial;
  return read_event(e);
}

}  // namespace fencepost::checker
