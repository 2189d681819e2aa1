// SPDX-License-Identifier: MIT
// Read-write locks, whose readers are not put into an order.
//
// Who reads under a lock does not notice who else does. So a lock is not one word but eight, of a
// byte each: a reader changes that of its own thread, and a writer changes all of them in one
// operation (graph/mixed_size.hpp). In the modification order of its byte each reader is after one
// writer and before the next; between the bytes of two readers there is no order, and none is
// explored.
//
//   a byte   threads that read, of those whose byte it is; how many writers have announced
//            themselves; and whether somebody writes
//
// Threads whose numbers differ by eight share a byte; the order of those that do is explored.
//
// This is the one order of all that is done to a lock that the standards promise, but for an order
// among readers that nothing could tell. Who tries in vain can tell, for to it some bytes are old
// and others new; so whether there is one order with that as well is asked
// (explore/lock_order.cpp).
//
// What synchronises is what the standards promise, not what bytes in memory would: a reader learns
// of writers before it, not of other readers. So readers change their byte relaxed, and a writer is
// joined to each reader that left before it came (Kind::join, as a thread is joined).
//
// Writers go before readers only in a lock of the kind
// PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP: there a writer that finds somebody inside announces
// itself, in all bytes, and readers wait for it; one that finds nobody goes in, which is the same
// operation. glibc's default lets readers in while a writer waits, and its
// PTHREAD_RWLOCK_PREFER_WRITER_NP does the same.
//
// With --symmetry a lock is one word, and the order of all that is done to it is explored: there
// two threads are compared by what they have done to the same word.
#include "sync/locks/read_write_locks.hpp"

#include <cstdio>

#include "execution/execution.hpp"
#include "sync/locks/words.hpp"
#include "sync/stuck.hpp"

namespace fencepost::checker {
namespace {

constexpr std::uint64_t kReader = 1;
constexpr std::uint64_t kWriter = 0x80;

// Where a lock is one word: of 64 threads.
constexpr std::uint64_t kReaders = 0x7f;
constexpr std::uint64_t kWaitingWriter = 0x100;
constexpr std::uint64_t kWaitingWriters = 0xff00;

// In a byte: of eight threads that read, and seven writers that wait.
constexpr std::uint64_t kReadersOfByte = 0x0f;
constexpr std::uint64_t kWaitingInByte = 0x10;
constexpr std::uint64_t kAllWaitingInByte = 0x70;
static_assert(kMaxThreads / kLockWords <= kReadersOfByte);

constexpr std::uint64_t in_all_bytes(std::uint64_t byte) { return byte * 0x0101010101010101; }

constexpr std::uint8_t kMore = kLockWords - 1;

struct RwlockWords {
  ObjectKind kind;
  std::uint8_t own;                 // the word that the current thread reads under
  std::uint8_t more;                // those that are written under, besides the first
  std::uint64_t keeps_readers_out;  // bits of the own word
  std::uint64_t keeps_writers_out;  // ... of all words
  std::uint64_t writer;
  std::uint64_t waiting;       // a writer that waits, 0 where nobody cares
  std::uint64_t most_waiting;  // there can be no more of them
};

// Each change of the lock by a thread notes what the thread holds after it.
bool takes_to_write(const Event& e) { return (e.operand & kWrites) != 0; }

RwlockWords words_of(const Rwlock& lock) {
  const bool first = lock.writers_first;
  if (execution.options.symmetry) {
    return {.kind = ObjectKind::rwlock_word,
            .own = 0,
            .more = 0,
            .keeps_readers_out = kWriter | (first ? kWaitingWriters : 0),
            .keeps_writers_out = kWriter | kReaders,
            .writer = kWriter,
            .waiting = first ? kWaitingWriter : 0,
            .most_waiting = kWaitingWriters};
  }
  // Threads that main creates come first; main itself seldom reads.
  const unsigned own = (execution.current->id + kMore) % kLockWords;
  return {.kind = ObjectKind::rwlock,
          .own = static_cast<std::uint8_t>(own),
          .more = kMore,
          .keeps_readers_out = kWriter | (first ? kAllWaitingInByte : 0),
          .keeps_writers_out = in_all_bytes(kWriter | kReadersOfByte),
          .writer = in_all_bytes(kWriter),
          .waiting = first ? in_all_bytes(kWaitingInByte) : 0,
          .most_waiting = in_all_bytes(kAllWaitingInByte)};
}

// The readers that have left since the last writer came, each thread's last leave.
void come_after_readers(std::uint64_t pc) {
  Thread& t = *execution.current;
  const EventId locked = execution.last_event();
  for (;;) {
    Graph& g = execution.graph();
    if (t.cursor < g.size(t.id)) {
      const Event& next = g.at(t.id, t.cursor);
      if (next.kind != Kind::join || next.what != Operation::rwlock_readers_left) return;
      execution.repeats(Operation::rwlock_readers_left, pc);
      continue;
    }
    EventId left = kInitial;
    const Event& own = g.at(locked);
    for (LocationId id = own.location; id <= own.location + own.more; ++id) {
      Location& l = g.location(id);
      for (std::uint32_t k = g.rank(locked, id) - 1; k-- > 0 && left == kInitial;) {
        const Event& w = g.at(l.writes[k]);
        if (takes_to_write(w)) break;
        if (w.what == Operation::rwlock_unlock &&
            !Graph::includes(execution.clock(), l.writes[k])) {
          left = l.writes[k];
        }
      }
    }
    if (left == kInitial) return;
    execution.before_new_event(pc);
    execution.come_after(Operation::rwlock_readers_left, left, pc);
  }
}

// A writer that is going to wait, or takes the lock at once if it can and `takes`: then it is true.
// Who only looks, for his time is up, learns of nobody who was there before.
bool announce_writer(const Rwlock& lock, bool takes, std::uint64_t pc) {
  const RwlockWords words = words_of(lock);
  const unsigned reading = rwlock_held(lock).reading;
  WordChange c{.kind = words.kind,
               .what = Operation::rwlock_announce,
               .address = lock.address,
               .more = words.more,
               .add = words.waiting,
               .note = reading,
               .acquires = takes};
  if (takes) {
    c.operand = words.keeps_writers_out;
    c.add = words.writer;
    c.note = kWrites;
    c.otherwise = words.waiting;
    c.note_otherwise = reading;
    c.begins_section = true;
  }
  std::uint64_t seen;
  if (change_word(c, pc, &seen) && takes) {
    come_after_readers(pc);
    return true;
  }
  if ((seen & words.most_waiting) == words.most_waiting) {
    execution.unsupported(
        pc, "more than seven writers wait for a read-write lock that prefers writers");
  }
  return false;
}

void withdraw_writer(const Rwlock& lock, std::uint64_t pc) {
  const RwlockWords words = words_of(lock);
  change_word({.kind = words.kind,
               .what = Operation::rwlock_withdraw,
               .address = lock.address,
               .more = words.more,
               .add = 0 - words.waiting,
               .note = rwlock_held(lock).reading,
               .acquires = false},
              pc);
}

// Which threads hold a read-write lock, as the end of a sentence.
void name_holders(LocationId rwlock, char* text, std::size_t size) {
  const Object& o = objects[rwlock];
  const LocationId location = objects.hidden(o.kind, o.address);
  std::size_t used = 0;
  text[0] = '\0';
  for (unsigned i = 0; i < execution.graph().threads() && used < size; ++i) {
    const RwlockHeld held = rwlock_held_by(i, location, execution.graph().size(i));
    if (!held.writing && held.reading == 0) continue;
    used += static_cast<std::size_t>(std::snprintf(text + used, size - used, "%s thread %u",
                                                   used == 0 ? ", held by" : " and", i));
  }
}

void describe(const Thread& t, char* message, std::size_t size) {
  char holders[160];
  name_holders(t.block_location, holders, sizeof holders);
  std::snprintf(message, size,
                "thread %u waits to %s under the read-write lock at 0x%lx%s, for ever", t.id,
                t.block == Block::read_lock ? "read" : "write",
                static_cast<unsigned long>(t.block_object), holders);
}

std::uint64_t holders_of(const Thread& t, bool readers_too) {
  const Object& o = objects[t.block_location];
  const LocationId lock = objects.hidden(o.kind, o.address);
  std::uint64_t holders = 0;
  for (unsigned i = 0; i < execution.graph().threads(); ++i) {
    const RwlockHeld held = rwlock_held_by(i, lock, execution.graph().size(i));
    if (held.writing || (readers_too && held.reading != 0)) holders |= std::uint64_t{1} << i;
  }
  return holders;
}

std::uint64_t writers(const Thread& t) { return holders_of(t, false); }

std::uint64_t all_holders(const Thread& t) { return holders_of(t, true); }

}  // namespace

void initialise_rwlock(const Rwlock& lock, std::uint64_t pc) {
  const RwlockWords words = words_of(lock);
  initialise_word(words.kind, Operation::rwlock_init, lock.address, 0, pc, words.more);
}

RwlockHeld rwlock_held(const Rwlock& lock) {
  const LocationId first = objects.hidden(words_of(lock).kind, lock.address);
  return rwlock_held_by(execution.current->id, first, execution.current->cursor);
}

RwlockHeld rwlock_held_by(unsigned thread, LocationId first, std::uint32_t events) {
  const std::uint8_t more = objects[first].kind == ObjectKind::rwlock ? kMore : 0;
  const EventId last = last_write_of(thread, first, events, more);
  const std::uint64_t note = last == kInitial ? 0 : execution.graph().at(last).operand;
  return {(note & kWrites) != 0, static_cast<unsigned>(note & ~kWrites)};
}

unsigned rwlock_holder(const Rwlock& lock) {
  return rwlock_holder(objects.hidden(words_of(lock).kind, lock.address));
}

unsigned rwlock_holder(LocationId first) {
  for (unsigned i = 0; i < execution.thread_count; ++i) {
    const std::uint32_t events = i < execution.graph().threads() ? execution.graph().size(i) : 0;
    const RwlockHeld held = rwlock_held_by(
        i, first, events < execution.threads[i].cursor ? events : execution.threads[i].cursor);
    if (held.writing || held.reading != 0) return i;
  }
  return kMaxThreads;
}

bool lock_to_read(const Rwlock& lock, const RwlockUse& use, std::uint64_t pc) {
  const RwlockHeld held = rwlock_held(lock);
  const RwlockWords words = words_of(lock);
  WordChange c{.kind = words.kind,
               .what = use.waits ? Operation::rwlock_read : Operation::rwlock_tryread,
               .address = lock.address,
               .word = words.own,
               .condition = kCompare | kIfClear,
               .operand = words.keeps_readers_out,
               .add = held.reading == 0 ? kReader : 0,
               .note = held.reading + 1,
               .why = Block::read_lock,
               .may_repeat = use.may_repeat,
               .begins_section = true};
  if (use.waits) c.condition |= kAwait;
  return change_word(c, pc);
}

bool lock_to_write(const Rwlock& lock, const RwlockUse& use, std::uint64_t pc) {
  const RwlockWords words = words_of(lock);
  const bool announces = use.announces && words.waiting != 0;
  if (announces && announce_writer(lock, use.waits, pc)) return true;
  WordChange c{.kind = words.kind,
               .what = use.waits ? Operation::rwlock_write : Operation::rwlock_trywrite,
               .address = lock.address,
               .more = words.more,
               .condition = kCompare | kIfClear,
               .operand = words.keeps_writers_out,
               .add = words.writer - (announces ? words.waiting : 0),
               .note = kWrites,
               .why = Block::write_lock,
               .may_repeat = use.may_repeat && !announces,
               .begins_section = true};
  if (use.waits) c.condition |= kAwait;
  if (!change_word(c, pc)) {
    if (announces) withdraw_writer(lock, pc);
    return false;
  }
  come_after_readers(pc);
  return true;
}

bool unlock_rwlock(const Rwlock& lock, std::uint64_t pc) {
  const RwlockHeld held = rwlock_held(lock);
  if (!held.writing && held.reading == 0) return false;
  const RwlockWords words = words_of(lock);
  WordChange c{.kind = words.kind,
               .what = Operation::rwlock_unlock,
               .address = lock.address,
               .acquires = false,
               .releases = held.writing};
  if (held.writing) {
    c.more = words.more;
    c.add = 0 - words.writer;
  } else {
    c.word = words.own;
    c.add = held.reading == 1 ? std::uint64_t{0} - kReader : 0;
    c.note = held.reading - 1;
  }
  change_word(c, pc);
  return true;
}

constinit const BlockedAt kBlockedToRead{"waits for a lock", last_read_is_newest, describe,
                                         writers};
constinit const BlockedAt kBlockedToWrite{"waits for a lock", last_read_is_newest, describe,
                                          all_holders};

}  // namespace fencepost::checker
