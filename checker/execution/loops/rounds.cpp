// SPDX-License-Identifier: MIT
// Which rounds of a loop that is back where it was may be left out (loops.cpp): those that nobody
// has seen.
//
// The writes of such a round are read-modify-writes that store what was there, and critical
// sections in which nothing was changed. Whoever reads the former, or the end of a section, can
// read what was there before the round in its place: the value is the same. Only the beginning of a
// section cannot be replaced. Who waits for the lock waits no longer, and has not gone on; but an
// attempt that finds the lock held (trylock and its kin) goes on, and may count how often it does.
//
// So a round with a section that an attempt of another thread has found is kept, and the loop goes
// on to its next. When it ends, nobody may have come that far: then whether it is kept is a
// choice, by default it is not, and an execution with a kept round that nobody has seen in the end
// is dropped, for it is there without the round as well. One attempt sees one round. So no more
// rounds of a thread have to be kept than others make attempts at the lock: those that find it
// held, and, where a thread can know of what others do without synchronising with them, those that
// would find an older state of it. A round that takes several locks may be seen by attempts at any
// of them; which one has kept it is not asked, so the attempts at all these locks count together
// (seats_for). How many those are in one execution is learned from the executions themselves; when
// more are met than where a loop was cut, the search begins anew. The next attempt that could see
// a round more is always met before that round has to be kept: what comes before it sees fewer.
//
// An attempt in a round that may itself be left out does not keep others: two threads that try each
// other's locks in turn would keep each other for ever. So kept rounds that only such attempts have
// seen count as not seen.
//
// How many rounds of a thread t are needed is counted where t has been stopped, and where another
// may find an older state than it knows of (count_tries). Let E be an execution, of those that end
// as it does one with the fewest events, and R the first end of a round, in the order of E, that t
// may not pass. All that is before it in this order is explored, with t stopped there, and each
// round in it is needed:
// - It is seen by an attempt that could not have found the lock held elsewhere, or E would be there
//   without it (move_elsewhere; only to what is before R for certain).
// - This attempt is outside of rounds, or in one that is needed in turn, or in the last one of its
//   thread, which may yet be. From the latter all others are found.
// - What the threads do together does not repeat itself (periods.cpp).
//
// With `rounds=N` in FENCEPOST_CHECK, for tests, every loop goes round N times, seen or not.
#include "execution/loops/rounds.hpp"

#include <initializer_list>

#include "execution/execution.hpp"
#include "execution/loops/moved_reads.hpp"
#include "execution/loops/periods.hpp"
#include "execution/objects.hpp"
#include "graph/state_section.hpp"
#include "memory/hash.hpp"

namespace fencepost::checker {
namespace {

constexpr unsigned kMostRounds = 16;
// Executions with rounds that nobody has seen, and how many of them to one without: more than both,
// and the search is given up.
constexpr std::uint64_t kManyInVain = 20000;
constexpr std::uint64_t kMostInVain = 20;

bool is_lock(ObjectKind kind) {
  return kind == ObjectKind::mutex || kind == ObjectKind::spin_lock || kind == ObjectKind::rwlock ||
         kind == ObjectKind::rwlock_word;
}

bool finds_it_held(const Event& e, std::uint64_t value) {
  return e.what == Operation::rwlock_announce ? (value & e.operand) != 0 : !fits(e, value);
}

bool finds_it_held(const Event& e) { return finds_it_held(e, e.value); }

LocationId lock_of(const Event& e) {
  const Object& o = objects[e.location];
  return o.kind == ObjectKind::rwlock ? e.location - o.size : e.location;
}

// Is this write the beginning of a section?
bool opens_section(const Event& e) {
  return e.kind == Kind::write && (e.flags & kRmw) != 0 && is_lock(objects[e.location].kind) &&
         !ends_section(e.what);
}

// Is this an attempt that goes on, or does something else, if it finds the lock held?
bool asks_for_lock(const Event& e) {
  if (e.kind != Kind::read || !is_lock(objects[e.location].kind)) return false;
  if (e.what == Operation::rwlock_announce) return e.operand != 0;
  return (e.flags & kCompare) != 0 && (e.flags & kAwait) == 0;
}

// `number` attempts of others at the lock.
std::uint64_t attempts_at(const Tried& t, unsigned number) {
  const Object& o = objects[t.lock];
  return mix(mix(o.address, static_cast<std::uint64_t>(o.kind)), t.thread << 8 | number);
}

// Is the other thread's event one of the same lock, and has the attempt's thread found it so late
// or later?
bool has_seen_lock(EventId attempt, EventId last) {
  Graph& g = execution.graph();
  const Event& e = g.at(last);
  const LocationId at = g.at(attempt).location;
  if ((e.kind != Kind::read && e.kind != Kind::write) || e.location != at || e.more != 0) {
    return false;
  }
  for (std::uint32_t i = attempt.index(); i-- > 0;) {
    const Event& own = g.at(attempt.thread(), i);
    if ((own.kind != Kind::read && own.kind != Kind::write) || own.location != at) continue;
    return g.rank_of_access(event_id(attempt.thread(), i), at) >= g.rank_of_access(last, at);
  }
  return false;
}

}  // namespace

FENCEPOST_CHECKER_STATE constinit LoopRounds loop_rounds;

void LoopRounds::begin_anew() {
  for (Tried& t : tried_) t.withheld = false;
  in_vain_ = not_in_vain_ = 0;
}

Tried& LoopRounds::tried(LocationId lock, unsigned thread) {
  for (Tried& t : tried_) {
    if (t.lock == lock && t.thread == thread) return t;
  }
  return tried_.push_back({lock, thread, 0, 0, false, false});
}

// Marks the locks of the current thread's events from `first` to `last`. Was any not?
bool LoopRounds::put_in_question(std::uint32_t first, std::uint32_t last) {
  const unsigned thread = execution.current->id;
  bool more = false;
  for (std::uint32_t i = first; i < last; ++i) {
    const Event& e = execution.graph().at(thread, i);
    if (!opens_section(e)) continue;
    Tried& lock = tried(lock_of(e), thread);
    more = more || !lock.in_question;
    lock.in_question = true;
  }
  return more;
}

bool LoopRounds::takes_one_in_question(std::uint32_t first, std::uint32_t last) {
  const unsigned thread = execution.current->id;
  for (std::uint32_t i = first; i < last; ++i) {
    const Event& e = execution.graph().at(thread, i);
    if (opens_section(e) && tried(lock_of(e), thread).in_question) return true;
  }
  return false;
}

// How many attempts of others there are that could see a round with these events, or one that is
// kept already and takes one of the same locks, or one of those that such a round takes; and how
// many such rounds are kept. An attempt at one of a round's locks sees the round, so that a round
// which is kept for the sake of one lock leaves one less for its others.
LoopRounds::Seats LoopRounds::seats_for(std::uint32_t begin, std::uint32_t end) {
  const Thread& t = *execution.current;
  Seats seats{0, 0};
  for (Tried& lock : tried_) lock.in_question = false;
  for (bool more = put_in_question(begin, end); more;) {
    more = false;
    seats.taken = 0;
    for (std::uint32_t k = 0; k < t.cursor; ++k) {
      const Event& choice = execution.graph().at(t.id, k);
      if (choice.kind != Kind::choice || choice.what != Operation::another_round) continue;
      if (!takes_one_in_question(choice.rmw_read, k)) continue;
      ++seats.taken;
      more = put_in_question(choice.rmw_read, k) || more;
    }
  }
  for (const Tried& lock : tried_) {
    if (lock.thread == t.id && lock.in_question) seats.all += lock.most;
  }
  return seats;
}

// The current thread is back where it was before its event `begin`. Is what it has done since then
// kept?
bool LoopRounds::keeps(std::uint32_t begin, std::uint64_t pc) {
  Thread& t = *execution.current;
  Graph& g = execution.graph();
  if (t.cursor < t.logged) {
    const Event& e = t.log[t.cursor++];
    execution.same(e.kind == Kind::choice && e.what == Operation::another_round &&
                       e.rmw_read == begin && e.pc == pc,
                   pc);
    return e.value != 0;
  }
  // After a round that is kept the sections in it come round again, seen from elsewhere in the
  // loop.
  std::uint32_t kept_up_to = 0;
  for (std::uint32_t i = t.cursor; i-- > begin;) {
    const Event& e = g.at(t.id, i);
    if (e.kind == Kind::choice && e.what == Operation::another_round) {
      kept_up_to = i;
      break;
    }
  }
  bool takes_lock = false;
  for (std::uint32_t i = begin; i < t.cursor; ++i) {
    if (!opens_section(g.at(t.id, i))) continue;
    if (i < kept_up_to) return true;
    takes_lock = true;
  }
  if (!takes_lock) return false;
  const Seats seats = seats_for(begin, t.cursor);
  if (seats.taken >= seats.all) {
    for (Tried& lock : tried_) {
      if (lock.thread != t.id || !lock.in_question || lock.withheld) continue;
      lock.withheld = true;
      execution.counters.withheld.add(attempts_at(lock, lock.most));
    }
    return false;
  }
  if (seats.taken >= kMostRounds) {
    execution.unsupported(
        pc,
        "a loop takes a lock in each round, and others may try it more than %u times "
        "meanwhile: what they find is not explored further",
        kMostRounds);
  }
  if (in_vain_ > kManyInVain && in_vain_ / kMostInVain > not_in_vain_) {
    execution.unsupported(
        pc,
        "threads that try each other's locks in loops can make each other's rounds "
        "come to nothing in too many ways: they are not explored further");
  }
  Event e{};
  e.kind = Kind::choice;
  e.what = Operation::another_round;
  e.pc = pc;
  e.operand = 2;
  e.effects = t.effects;
  e.rmw_read = static_cast<std::uint16_t>(begin);
  execution.explorer.add_choice(t.id, e);
  ++t.cursor;
  return false;
}

void LoopRounds::follow(std::uint64_t pc) {
  const std::uint32_t begin = execution.current->log[execution.current->cursor].rmw_read;
  if (!keeps(begin, pc)) stop_in_round(begin, pc);
}

void LoopRounds::list() {
  rounds_.clear();
  for (unsigned t = 0; t < execution.graph().threads(); ++t) {
    const auto add = [&](std::uint32_t begin, std::uint32_t end, bool kept) {
      LocationId lock = kNoLocation;
      for (std::uint32_t i = begin; i < end; ++i) {
        const Event& e = execution.graph().at(t, i);
        if (opens_section(e) && lock_of(e) < lock) lock = lock_of(e);
      }
      rounds_.push_back({t, begin, end, lock, kept, false, false});
    };
    for (std::uint32_t i = 0; i < execution.graph().size(t); ++i) {
      const Event& e = execution.graph().at(t, i);
      if (e.kind == Kind::choice && e.what == Operation::another_round && e.value != 0) {
        add(e.rmw_read, i, true);
      }
    }
    const Thread& thread = execution.threads[t];
    if (thread.state == ThreadState::blocked && thread.block == Block::spin) {
      add(thread.loop_start, execution.graph().size(t), false);
    }
  }
}

// Is the event in a round that nobody has seen?
bool LoopRounds::is_in_vain(EventId e) const {
  for (const LoopRound& r : rounds_) {
    if (r.thread == e.thread() && e.index() >= r.begin && e.index() < r.end && !r.seen) return true;
  }
  return false;
}

void LoopRounds::mark_seen() {
  Graph& g = execution.graph();
  for (bool more = true; more;) {
    more = false;
    for (EventId attempt : attempts_) {
      if (!finds_it_held(g.at(attempt)) || is_in_vain(attempt)) continue;
      g.each_source(attempt, [&](EventId w) {
        if (w == kInitial || w.thread() == attempt.thread() || !opens_section(g.at(w))) return;
        for (LoopRound& r : rounds_) {
          if (r.seen || r.thread != w.thread() || w.index() < r.begin || w.index() >= r.end) {
            continue;
          }
          r.seen = true;
          more = true;
        }
      });
    }
  }
}

LoopRound* LoopRounds::round_of(EventId e) {
  for (LoopRound& r : rounds_) {
    if (r.thread == e.thread() && e.index() >= r.begin && e.index() < r.end) return &r;
  }
  return nullptr;
}

// Lets the attempt, which finds the lock held since `opening`, find it held elsewhere if it could,
// in what is there without what thread `of` does after its last event. Put back at the end of
// count_tries: what another attempt could find depends on it.
bool LoopRounds::move_elsewhere(EventId attempt, EventId opening, unsigned of) {
  Graph& g = execution.graph();
  const LocationId at = g.at(opening).location;
  const EventId last = event_id(of, g.size(of) - 1);
  for (const Moved& m : moved_) {
    if (m.attempt == attempt) return true;
  }
  for (EventId other : g.location(at).writes) {
    if (other.thread() == attempt.thread() || !opens_section(g.at(other))) continue;
    if (round_of(other) == round_of(opening)) continue;
    if (!finds_it_held(g.at(attempt), g.value_of(at, other))) continue;
    if (!g.porf_before(other, opening) && !g.porf_before(other, last)) continue;
    if (!could_read(attempt, other)) continue;
    moved_.push_back({attempt, g.at(attempt).from});
    g.at(attempt).from = other;
    return true;
  }
  return false;
}

// Notes which rounds of others the attempt needs. Is there one more?
bool LoopRounds::count_rounds(EventId attempt, unsigned of) {
  Graph& g = execution.graph();
  bool more = false;
  g.each_source(attempt, [&](EventId w) {
    if (w == kInitial || w.thread() == attempt.thread() || !opens_section(g.at(w))) return;
    LoopRound* const round = round_of(w);
    if (round == nullptr || round->counted || move_elsewhere(attempt, w, of)) return;
    round->counted = true;
    more = true;
    ++tried(round->lock, w.thread()).counted;
  });
  return more;
}

// What it knows of the other thread without synchronisation may come after states that it may find.
bool LoopRounds::count_old_states(EventId attempt, unsigned of) {
  Graph& g = execution.graph();
  const EventId before = event_id(attempt.thread(), attempt.index() - 1);
  if (of == attempt.thread() || g.porf(before)[of] <= g.hb(before)[of]) return false;
  if (has_seen_lock(attempt, event_id(of, g.porf(before)[of] - 1U))) return false;
  ++tried(lock_of(g.at(attempt)), of).counted;
  return true;
}

// Has the thread been stopped after a round that others may need?
bool LoopRounds::is_stopped(unsigned thread) const {
  for (const LoopRound& r : rounds_) {
    if (r.thread == thread && !r.kept) return r.takes();
  }
  return false;
}

// How many rounds of a thread do others need?
void LoopRounds::count_tries(unsigned of) {
  const bool finds_old =
      execution.options.model != &kSequentialConsistency && execution.options.model != &kX86;
  const bool stopped = is_stopped(of);
  if ((!stopped && !finds_old) || repeats_with_others(of, stopped)) return;
  Graph& g = execution.graph();
  for (Tried& t : tried_) t.counted = 0;
  for (LoopRound& r : rounds_) r.counted = false;
  const auto counts = [&](const LoopRound* round) {
    // In a round that takes no lock it sees nothing that others could notice.
    return round == nullptr || (round->kept ? round->counted : round->takes());
  };
  for (bool more = true; more;) {
    more = false;
    for (EventId attempt : attempts_) {
      if (counts(round_of(attempt)) && finds_it_held(g.at(attempt))) {
        more = count_rounds(attempt, of) || more;
      }
    }
  }
  for (const Moved& m : moved_) g.at(m.attempt).from = m.from;
  moved_.clear();
  bool any_old = false;
  for (EventId attempt : attempts_) {
    const LoopRound* const round = round_of(attempt);
    if (!finds_old || finds_it_held(g.at(attempt)) || !counts(round)) continue;
    if (round == nullptr || !round->kept) any_old = count_old_states(attempt, of) || any_old;
  }
  if (!stopped && !any_old) return;
  for (Tried& t : tried_) {
    if (t.thread != of || t.counted <= t.most) continue;
    for (; t.most < t.counted; ++t.most) execution.counters.tried.add(attempts_at(t, t.most));
    if (t.withheld && !execution.is_worker) execution.begins_anew = true;
  }
}

// At the end of an execution. False: it has a kept round that nobody has seen.
bool LoopRounds::judge() {
  Graph& g = execution.graph();
  attempts_.clear();
  bool any_kept = false;
  for (unsigned t = 0; t < g.threads(); ++t) {
    for (std::uint32_t i = 0; i < g.size(t); ++i) {
      const Event& e = g.at(t, i);
      if (asks_for_lock(e)) attempts_.push_back(event_id(t, i));
      any_kept = any_kept || (e.what == Operation::another_round && e.value != 0);
    }
  }
  if (attempts_.empty()) return !any_kept;
  list();
  mark_seen();
  for (unsigned t = 0; t < g.threads(); ++t) count_tries(t);
  for (const LoopRound& r : rounds_) {
    if (!r.kept || r.seen) continue;
    ++in_vain_;
    return false;
  }
  ++not_in_vain_;
  return true;
}

}  // namespace fencepost::checker
