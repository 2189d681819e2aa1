// SPDX-License-Identifier: MIT
// Passing the events that the graph has, and adding those that it has not.
#include <cstdio>
#include <cstring>

#include "execution/runtime.hpp"
#include "loops/spins.hpp"
#include "loops/unseen_code.hpp"
#include "machine/kernel.hpp"
#include "memory/mapped.hpp"
#include "memory/regions.hpp"
#include "memory/stack/stacks.hpp"
#include "memory/uninitialised.hpp"

namespace fencepost::checker {
namespace {

// From here on a thread may be in a loop that was not recognised.
constexpr std::uint32_t kManyEvents = 250;

}  // namespace

Event* Execution::replay(Kind kind, Operation what, std::uint64_t pc) {
  Thread& t = *current;
  settle_plain_writes();
  heartbeat = heartbeat + 1;
  if (options.symmetry) [[unlikely]]
    symmetry.goes_on(kind, what, pc);
  if (t.cursor >= t.logged) return nullptr;  // what it has added since, it has passed
  Event& e = t.log[t.cursor];
  same(e.kind == kind && e.what == what && e.pc == pc, pc);
  const bool depends = kind == Kind::read || kind == Kind::begin || kind == Kind::join;
  const auto wait_for = [&](EventId source) {
    if (source == kInitial || source.thread() == t.id) return;
    while (threads_[source.thread()].cursor <= source.index()) {
      set_state(t, ThreadState::waiting);
      t.waits_for = source;
      give_way();
      stack_used = kWaitingUses;
    }
  };
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

bool Execution::is_first_at(LocationId id) {
  for (LocationId known : known_initial_) {
    if (known == id) return false;
  }
  known_initial_.push_back(id);
  return true;
}

void Execution::look_at_initial_values(const Event& e, std::uint64_t pc) {
  constexpr std::uint16_t kMarks = kForced | kUnfit | kTwin | kLocked | kSilent;
  const unsigned half = e.what == Operation::load || e.what == Operation::store ? 0U
                        : e.what == Operation::compare_exchange && e.kind == Kind::read
                            ? kRmw | kCompare
                        : e.what == Operation::nonatomic_fetch_add ? unsigned{kNonatomic}
                                                                   : unsigned{kRmw};
  same((e.flags & ~kMarks) == half, pc);
  for (LocationId id = e.location; id <= e.location + e.more; ++id) {
    if (!is_first_at(id)) continue;
    std::uint64_t there = 0;
    std::memcpy(&there, reinterpret_cast<const void*>(objects_[id].address), objects_[id].size);
    const Location& l = graph().location(id);
    constexpr unsigned kBlock = 16;  // as pieces are counted from (mixed_size.cpp)
    const bool in_place = l.offset == objects_[id].address % kBlock && l.bytes == objects_[id].size;
    same(l.initial == there && in_place, pc);
  }
}

void Execution::before_new_event(std::uint64_t pc) {
  Thread& t = *current;
  if (options.bounded_spins) must_stay_in_spin(pc);
  if (uninitialised.follows_only) [[unlikely]]
    uninitialised.goes_beyond_graph(pc);
  while (turn_ != static_cast<int>(t.id)) {
    t.block_pc = pc;
    give_way();
  }
  stack_used = kAddingUses;
  if (options.symmetry && graph().is_ahead_of_twin(t.id)) {
    unsupported(pc,
                "one of two identical threads waits where the other goes on: check the program "
                "without --symmetry");
  }
  const std::uint32_t events = graph().size(t.id);
  if (events >= bound_) [[unlikely]]
    meet_bound(pc);
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
      "thread %u has more than %u events in one execution (see --max-events): each round of "
      "this loop %s%s",
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

void Execution::block(Block why, std::uint64_t pc, std::uint64_t object, LocationId location) {
  Thread& t = *current;
  if (options.symmetry) symmetry.stops();
  set_state(t, ThreadState::blocked);
  t.block = why;
  t.block_pc = pc;
  t.block_object = object;
  t.block_location = location;
  if (why == Block::join || why == Block::spin) t.block_timed = false;
  give_way();
}

void Execution::wake(Thread& t) {
  if (t.state != ThreadState::blocked) return;
  set_state(t, ThreadState::ready);
  turn_ = -1;  // a thread with a lower number may be able to go on
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

// An atomic object that lies in memory.
LocationId Execution::add_object(std::uintptr_t address, unsigned size) {
  thread_is_visited(address);
  objects_.push_back({address, static_cast<std::uint8_t>(size), ObjectKind::atomic});
  return objects_.size() - 1;
}

LocationId Execution::locate(std::uintptr_t address, unsigned size, std::uint64_t pc,
                             std::uint8_t* more) {
  Cell* cell = shadow.find(address);
  if (cell == nullptr) {
    must_exist(address, "an atomic access", pc);
    const LocationId id = hidden(ObjectKind::atomic, address);
    if (objects_[id].size == 0) objects_[id].size = static_cast<std::uint8_t>(size);
    if (objects_[id].size != size) {
      unsupported(
          pc,
          "atomic accesses of different sizes to the same bytes (at address 0x%lx), outside "
          "the program's own memory, are not supported",
          static_cast<unsigned long>(address));
    }
    return id;
  }
  const unsigned offset = address & 7;
  const std::uint16_t found = cell->location[offset];
  if (found != 0 && objects_[found].address == address && objects_[found].size == size)
    return found;
  if (address % size != 0) {
    unsupported(pc, "an atomic access of %u bytes at a misaligned address", size);
  }
  if (!blocks_.empty() && block_at(address) != nullptr) return pieces_at(address, size, pc, more);
  if (size > 8) cut_memory(address, size, pc);
  for (unsigned i = 0; i < size; ++i) {
    const std::uint16_t there = cell->location[offset + i];
    if (there == 0) continue;
    if (!graph().location(there).untouched()) cut_memory(address, size, pc);
    for (unsigned k = 0; k < 8; ++k) {  // a former object: its memory was used for another
      if (cell->location[k] == there) cell->location[k] = 0;
    }
    objects_moved_ = true;
  }
  if (objects_.size() > 0xfff0) unsupported(pc, "more than 65,000 atomic objects");
  const LocationId id = add_object(address, size);
  for (unsigned i = 0; i < size; ++i) cell->location[offset + i] = static_cast<std::uint16_t>(id);
  return id;
}

unsigned Execution::atomic_size(std::uintptr_t address) {
  const Cell* cell = shadow.find(address);
  if (cell == nullptr) return 0;
  const std::uint16_t found = cell->location[address & 7];
  return found != 0 && objects_[found].address == address ? objects_[found].size : 0;
}

LocationId Execution::wide_location(std::uintptr_t futex_word) {
  const Cell* cell = shadow.find(futex_word);
  if (cell == nullptr) return 0;
  const std::uint16_t found = cell->location[futex_word & 7];
  if (found == 0 || objects_[found].size != 8) return 0;
  return graph().location(found).untouched() ? 0 : found;
}

LocationId Execution::hidden(ObjectKind kind, std::uintptr_t address) {
  const std::uintptr_t key = address * 16 + static_cast<std::uintptr_t>(kind) + 1;
  if (hidden_used_ * 2 >= hidden_.size()) {
    Array<HiddenSlot> old;
    old.assign(hidden_.data(), hidden_.size());
    const std::uint32_t size = hidden_.empty() ? 256 : hidden_.size() * 2;
    hidden_.resize(size);
    std::memset(static_cast<void*>(hidden_.data()), 0, size * sizeof(HiddenSlot));
    for (const HiddenSlot& s : old) {
      if (s.key == 0) continue;
      std::uint32_t i =
          static_cast<std::uint32_t>(s.key * 0x9E3779B97F4A7C15ULL >> 40) & (size - 1);
      while (hidden_[i].key != 0) i = (i + 1) & (size - 1);
      hidden_[i] = s;
    }
  }
  const std::uint32_t mask = hidden_.size() - 1;
  std::uint32_t i = static_cast<std::uint32_t>(key * 0x9E3779B97F4A7C15ULL >> 40) & mask;
  while (hidden_[i].key != 0) {
    if (hidden_[i].key == key) return hidden_[i].id;
    i = (i + 1) & mask;
  }
  ++hidden_used_;
  hidden_[i] = {key, objects_.size()};
  const bool in_use = kind == ObjectKind::mutex || kind == ObjectKind::spin_lock ||
                      kind == ObjectKind::rwlock || kind == ObjectKind::rwlock_word ||
                      kind == ObjectKind::condition;
  if (in_use && regions::in_heap(address)) heap_locks_.push_back(objects_.size());
  const unsigned words = kind == ObjectKind::rwlock ? kLockWords : 1;
  for (unsigned k = 0; k < words; ++k) {
    objects_.push_back({address, static_cast<std::uint8_t>(k), kind});
  }
  return hidden_[i].id;
}

LocationId Execution::adopt(const Place& place) {
  const auto kind = static_cast<ObjectKind>(place.kind);
  const std::uint32_t cuts = place.kind >> kCutsShift;
  if (objects_.size() > 0xff00) return kNoLocation;
  if (cuts != 0) return adopt_piece(place.address, cuts);
  const auto size = static_cast<std::uint8_t>(place.size);
  if (kind > ObjectKind::exit_handlers || place.size > 16) return kNoLocation;
  const Cell* cell = kind == ObjectKind::atomic ? shadow.find(place.address) : nullptr;
  if (cell == nullptr) {
    const LocationId id = hidden(kind, place.address);
    if (kind == ObjectKind::rwlock) return id + size % kLockWords;
    objects_[id].size = size;
    return id;
  }
  const bool whole = size != 0 && size <= 8 && (size & (size - 1)) == 0;
  if (!whole || place.address % size != 0) return kNoLocation;
  objects_moved_ = true;
  const std::uint16_t found = cell->location[place.address & 7];
  const auto is_it = [&](const Object& o) {
    return o.address == place.address && o.size == size && o.kind == kind;
  };
  if (is_it(objects_[found])) return found;
  for (LocationId id = 1; id < objects_.size(); ++id) {
    if (is_it(objects_[id])) return id;
  }
  return add_object(place.address, size);
}

Places Execution::places() {
  return {[](LocationId id) {
            const Object& o = runtime.object(id);
            return Place{o.address, o.size, runtime.kind_and_cuts(id)};
          },
          [](const Place& place) { return runtime.adopt(place); }};
}

// The shadow names for each byte the atomic object that lies there. Memory may hold other objects
// in other executions; the graph's own must be found.
void Execution::show_objects(Graph& g) {
  for (LocationId id : g.active()) {
    const Object& o = objects_[id];
    Cell* cell = o.kind == ObjectKind::atomic ? shadow.find(o.address) : nullptr;
    if (cell == nullptr) continue;
    for (unsigned i = 0; i < o.size; ++i) {
      cell->location[(o.address & 7) + i] = static_cast<std::uint16_t>(id);
    }
  }
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
}

}  // namespace fencepost::checker
