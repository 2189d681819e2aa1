// SPDX-License-Identifier: MIT
// Passing the events that the graph has, and adding those that it has not.
#include <cstdio>
#include <cstring>

#include "execution/above.hpp"
#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "execution/few_events.hpp"
#include "execution/lifetimes/uninitialised.hpp"
#include "execution/loops/spins.hpp"
#include "execution/loops/unseen_code.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {
namespace {

// From here on a thread may be in a loop that was not recognised.
constexpr std::uint32_t kManyEvents = 250;

}  // namespace

// Until others have passed this event of theirs.
inline void Execution::wait_for(EventId source) {
  if (source == kInitial) return;
  while (threads[source.thread()].cursor <= source.index()) {
    set_state(*current, ThreadState::waiting);
    current->waits_for = source;
    give_way();
    stack_used = kWaitingUses;
  }
}

void Execution::wait_in_passing(EventId source) {
  heartbeat = heartbeat + 1;
  wait_for(source);
  wipe_stack(kWaitingUses);
  stack_used = kReplayUses;
}

Event* Execution::replay(Kind kind, Operation what, std::uint64_t pc) {
  Thread& t = *current;
  if (first_threads.makes_more && kind != Kind::create) [[unlikely]]
    main_has_made_threads();
  settle_plain_writes();
  heartbeat = heartbeat + 1;
  if (options.symmetry) [[unlikely]]
    symmetry.goes_on(kind, what, pc);
  if (t.cursor >= t.logged) return nullptr;  // what it has added since, it has passed
  Event& e = t.log[t.cursor];
  same(e.kind == kind && e.what == what && e.pc == pc, pc);
  const bool depends = kind == Kind::read || kind == Kind::begin || kind == Kind::join;
  if (depends) wait_for(e.from);
  if (kind == Kind::read && e.more != 0) {
    const EventId id = event_id(t.id, t.cursor);
    for (unsigned k = 1; k <= e.more; ++k) wait_for(graph().source(id, e.location + k));
  }
  return &e;
}

void Execution::not_the_same(std::uint64_t pc) {
  if (uninitialised.follows_only) uninitialised.does_otherwise();
  unsupported(pc, "%s", kNotTheSame);
}

void Execution::before_new_event(std::uint64_t pc, LocationId lock) {
  Thread& t = *current;
  if (options.bounded_spins) must_stay_in_spin(pc);
  if (uninitialised.follows_only) [[unlikely]]
    uninitialised.goes_beyond_graph(pc);
  for (;;) {
    const bool has_turn = turn_ == static_cast<int>(t.id);
    if (has_turn && (lock == kNoLocation || t.comes_last || !is_taken(lock))) break;
    t.block_pc = pc;
    if (has_turn) {
      queue_at(lock);
    } else {
      give_way();
    }
  }
  t.comes_last = false;
  // Who has the turn to finish what it has begun has it no longer than that.
  if (unfinished_ != 0) [[unlikely]]
    turn_ = -1;
  stack_used = kAddingUses;
  if (options.symmetry && graph().is_ahead_of_twin(t.id)) {
    unsupported(pc,
                "one of two identical threads waits where the other goes on: check the program "
                "without --symmetry");
  }
  const std::uint32_t events = graph().size(t.id);
  if (events >= event_bound.now) [[unlikely]]
    event_bound.meet(pc);
  if (events == kManyEvents || events >= options.max_events) blame_calls(pc);
  if (events >= options.max_events) goes_on_and_on(pc);
}

// No verdict. With so many events the thread has been in a loop for most of them: what keeps each
// round from being the one before?
void Execution::goes_on_and_on(std::uint64_t pc) {
  const Thread& t = *current;
  const std::uint32_t middle = t.cursor / 2;
  const Event& in_loop = graph().at(t.id, middle);
  std::uint32_t before = middle;
  std::uint64_t shown = 0;
  while (before-- > 0) {
    const Event& e = graph().at(t.id, before);
    if (e.kind == Kind::write && (e.flags & kSilent) == 0) shown = e.pc;
    if (e.pc == in_loop.pc && e.kind == in_loop.kind && e.what == in_loop.what) break;
  }
  if (before > middle) {
    unsupported(pc, "thread %u has more than %u events in one execution (see --max-events)", t.id,
                options.max_events);
  }
  // Of the last plain write the place is known, which may come after the loop.
  const bool still = graph().at(last_event()).pc == in_loop.pc;
  const bool same_effects = graph().at(t.id, before).effects == in_loop.effects;
  if (shown == 0 && still && t.written_count != 0) shown = t.written_at;
  const char* why = shown != 0      ? "changes memory"
                    : !same_effects ? "changes memory, or calls a library"
                                    : "leaves other values in variables";
  char where[32] = "";
  if (shown != 0) {
    std::snprintf(where, sizeof where, " at pc 0x%lx", static_cast<unsigned long>(shown));
  }
  unsupported(
      in_loop.pc,
      "thread %u has more than %u events in one execution (see --max-events, or bound rounds by "
      "--unroll): each round of this loop %s%s",
      t.id, options.max_events, why, where);
}

bool Execution::repeats(Operation what, std::uint64_t pc) {
  const Event* e = replay(Kind::join, what, pc);
  if (e == nullptr) return false;
  current->repeat(*e);
  ++current->cursor;
  return true;
}

// One more event of this thread, which comes after one of another thread.
void Execution::come_after(Operation what, EventId earlier, std::uint64_t pc, std::uint16_t flags) {
  Event e{};
  e.kind = Kind::join;
  e.flags = flags;
  e.what = what;
  e.pc = pc;
  e.from = earlier;
  e.operand = earlier.thread();
  current->shows_writes();
  e.effects = current->effects;
  explorer.add_event(current->id, e);
  ++current->cursor;
}

std::uint32_t Execution::choose(Operation what, std::uint32_t count, std::uint64_t pc) {
  if (Event* e = replay(Kind::choice, what, pc)) {
    same(e->operand == count, pc);
    ++current->cursor;
    return static_cast<std::uint32_t>(e->value);
  }
  before_new_event(pc);
  Event e{};
  e.kind = Kind::choice;
  e.what = what;
  e.pc = pc;
  e.operand = count;
  explorer.add_choice(current->id, e);
  ++current->cursor;
  return 0;
}

// Adds a read (already filled in) at the end of the current thread; the caller has the turn.
std::uint64_t Execution::read_event(Event& e, const MixedSize* mixed) {
  e.kind = Kind::read;
  e.effects = current->effects;
  const EventId id = explorer.add_read(current->id, e, mixed);
  if (explorer.symmetry_is_broken()) [[unlikely]] {
    unsupported(e.pc,
                "what one of two identical threads has read the other may not read: check "
                "the program without --symmetry");
  }
  ++current->cursor;
  return graph().at(id).value;
}

void Execution::write_event(Event& e, const MixedSize* mixed) {
  e.kind = Kind::write;
  e.from = EventId{};
  current->shows_writes();
  if (ends_section(e.what)) {
    current->leave_section(e.location);
  } else if ((e.flags & kSilent) == 0) {
    current->effect();
  }
  e.effects = current->effects;
  EventId id;
  if (!explorer.add_write(current->id, e, &id, mixed)) drop_execution();
  ++current->cursor;
  // One with a lower number may wait for this.
  if (in(ThreadState::queued) != 0 && is_queued_at(e.location)) turn_ = -1;
}

}  // namespace fencepost::checker
