// SPDX-License-Identifier: MIT
#include "execution/objects.hpp"

#include <cstring>

#include "execution/execution.hpp"
#include "execution/lifetimes/mapped.hpp"
#include "execution/lifetimes/stack/stacks.hpp"
#include "graph/state_section.hpp"
#include "memory/regions.hpp"

namespace fencepost::checker {

FENCEPOST_CHECKER_STATE constinit Objects objects;

// At the beginning of an execution.
void Objects::new_execution(Graph& g) {
  if (moved_) show(g);
  known_initial_.clear();
}

bool Objects::is_first_at(LocationId id) {
  for (LocationId known : known_initial_) {
    if (known == id) return false;
  }
  known_initial_.push_back(id);
  return true;
}

void Objects::look_at_initial_values(const Event& e, std::uint64_t pc) {
  constexpr std::uint16_t kMarks = kForced | kUnfit | kTwin | kLocked | kSilent;
  const unsigned half = e.what == Operation::load || e.what == Operation::store ? 0U
                        : e.what == Operation::compare_exchange && e.kind == Kind::read
                            ? kRmw | kCompare
                        : e.what == Operation::nonatomic_fetch_add ? unsigned{kNonatomic}
                                                                   : unsigned{kRmw};
  // A weak compare-exchange that fails for nothing only reads.
  const bool fails = e.what == Operation::compare_exchange && execution.options.weak_cas != 0;
  const unsigned flags = e.flags & ~kMarks;
  execution.same(flags == half || (fails && e.kind == Kind::read && flags == 0), pc);
  for (LocationId id = e.location; id <= e.location + e.more; ++id) {
    if (!is_first_at(id)) continue;
    std::uint64_t there = 0;
    std::memcpy(&there, reinterpret_cast<const void*>(all_[id].address), all_[id].size);
    const Location& l = execution.graph().location(id);
    constexpr unsigned kBlock = 16;  // as pieces are counted from (mixed_size.cpp)
    const bool in_place = l.offset == all_[id].address % kBlock && l.bytes == all_[id].size;
    execution.same(l.initial == there && in_place, pc);
  }
}

// An atomic object that lies in memory.
LocationId Objects::add(std::uintptr_t address, unsigned size) {
  thread_is_visited(address, size);
  all_.push_back({address, static_cast<std::uint8_t>(size), ObjectKind::atomic});
  return all_.size() - 1;
}

LocationId Objects::locate(std::uintptr_t address, unsigned size, std::uint64_t pc,
                           std::uint8_t* more) {
  Cell* cell = execution.shadow.find(address);
  if (cell == nullptr) {
    must_exist(address, "an atomic access", pc);
    const LocationId id = hidden(ObjectKind::atomic, address);
    if (all_[id].size == 0) all_[id].size = static_cast<std::uint8_t>(size);
    if (all_[id].size != size) {
      execution.unsupported(
          pc,
          "atomic accesses of different sizes to the same bytes (at address 0x%lx), outside "
          "the program's own memory, are not supported",
          static_cast<unsigned long>(address));
    }
    return id;
  }
  const unsigned offset = address & 7;
  const std::uint16_t found = cell->location[offset];
  if (found != 0 && all_[found].address == address && all_[found].size == size) return found;
  if (address % size != 0) {
    execution.unsupported(pc, "an atomic access of %u bytes at a misaligned address", size);
  }
  if (!blocks_.empty() && block_at(address) != nullptr) return pieces_at(address, size, pc, more);
  if (size > 8) cut_memory(address, size, pc);
  for (unsigned i = 0; i < size; ++i) {
    const std::uint16_t there = cell->location[offset + i];
    if (there == 0) continue;
    if (!execution.graph().location(there).untouched()) cut_memory(address, size, pc);
    for (unsigned k = 0; k < 8; ++k) {  // a former object: its memory was used for another
      if (cell->location[k] == there) cell->location[k] = 0;
    }
    moved_ = true;
  }
  if (all_.size() > 0xfff0) execution.unsupported(pc, "more than 65,000 atomic objects");
  const LocationId id = add(address, size);
  for (unsigned i = 0; i < size; ++i) cell->location[offset + i] = static_cast<std::uint16_t>(id);
  return id;
}

unsigned Objects::atomic_size(std::uintptr_t address) {
  const Cell* cell = execution.shadow.find(address);
  if (cell == nullptr) return 0;
  const std::uint16_t found = cell->location[address & 7];
  return found != 0 && all_[found].address == address ? all_[found].size : 0;
}

LocationId Objects::wide_location(std::uintptr_t futex_word) {
  const Cell* cell = execution.shadow.find(futex_word);
  if (cell == nullptr) return 0;
  const std::uint16_t found = cell->location[futex_word & 7];
  if (found == 0 || all_[found].size != 8) return 0;
  return execution.graph().location(found).untouched() ? 0 : found;
}

LocationId Objects::hidden(ObjectKind kind, std::uintptr_t address) {
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
  hidden_[i] = {key, all_.size()};
  const bool in_use = kind == ObjectKind::mutex || kind == ObjectKind::spin_lock ||
                      kind == ObjectKind::rwlock || kind == ObjectKind::rwlock_word ||
                      kind == ObjectKind::condition;
  if (in_use && (regions::in_heap(address) || regions::in_stacks(address))) {
    passing_.push_back(all_.size());
  }
  const unsigned words = kind == ObjectKind::rwlock ? kLockWords : 1;
  for (unsigned k = 0; k < words; ++k) {
    all_.push_back({address, static_cast<std::uint8_t>(k), kind});
  }
  return hidden_[i].id;
}

LocationId Objects::adopt(const Place& place) {
  const auto kind = static_cast<ObjectKind>(place.kind);
  const std::uint32_t cuts = place.kind >> kCutsShift;
  if (all_.size() > 0xff00) return kNoLocation;
  if (cuts != 0) return adopt_piece(place.address, cuts);
  const auto size = static_cast<std::uint8_t>(place.size);
  if (kind > ObjectKind::exit_handlers || place.size > 16) return kNoLocation;
  const Cell* cell = kind == ObjectKind::atomic ? execution.shadow.find(place.address) : nullptr;
  if (cell == nullptr) {
    const LocationId id = hidden(kind, place.address);
    if (kind == ObjectKind::rwlock) return id + size % kLockWords;
    all_[id].size = size;
    return id;
  }
  const bool whole = size != 0 && size <= 8 && (size & (size - 1)) == 0;
  if (!whole || place.address % size != 0) return kNoLocation;
  moved_ = true;
  const std::uint16_t found = cell->location[place.address & 7];
  const auto is_it = [&](const Object& o) {
    return o.address == place.address && o.size == size && o.kind == kind;
  };
  if (is_it(all_[found])) return found;
  for (LocationId id = 1; id < all_.size(); ++id) {
    if (is_it(all_[id])) return id;
  }
  return add(place.address, size);
}

Places places() {
  return {[](LocationId id) {
            const Object& o = objects[id];
            return Place{o.address, o.size, objects.kind_and_cuts(id)};
          },
          [](const Place& place) { return objects.adopt(place); }};
}

// The shadow names for each byte the atomic object that lies there. Memory may hold other objects
// in other executions; the graph's own must be found.
void Objects::show(Graph& g) {
  for (LocationId id : g.active()) {
    const Object& o = all_[id];
    Cell* cell = o.kind == ObjectKind::atomic ? execution.shadow.find(o.address) : nullptr;
    if (cell == nullptr) continue;
    for (unsigned i = 0; i < o.size; ++i) {
      cell->location[(o.address & 7) + i] = static_cast<std::uint16_t>(id);
    }
  }
}

}  // namespace fencepost::checker
