// SPDX-License-Identifier: MIT
#include "accounting.hpp"
#include "process.hpp"

namespace fencepost::profiler {

namespace {

bool is_at(const lock& one, const void* object) noexcept {
  return one.address.load(std::memory_order_relaxed) == reinterpret_cast<std::uint64_t>(object) &&
         one.ended.load(std::memory_order_relaxed) == 0;
}

/// Marks what is no more in here.lost.
constexpr std::uint32_t gone = 8;
static_assert(kinds < gone);

/// The number of all locks of the kind of what is at `object`, where that found no entry; or 0.
std::uint32_t lost_at(const void* object) noexcept {
  if (here.kept.head->lost_locks.load(std::memory_order_relaxed) == 0) return 0;
  const std::uint32_t found = here.lost.find(reinterpret_cast<std::uint64_t>(object));
  return found <= kinds ? found : 0;
}

/// There is no entry for it. Each address is counted once.
std::uint32_t lose(std::uint64_t address, kind what) noexcept {
  header& head = *here.kept.head;
  const auto number = static_cast<std::uint32_t>(what);
  const std::uint32_t before = here.lost.find(address);
  if (before == number) return number;
  if (!here.lost.put(address, number)) {
    head.lost_locks_more.store(1, std::memory_order_relaxed);
  } else if (before == 0) {
    head.lost_locks.fetch_add(1, std::memory_order_relaxed);
  }
  return number;
}

/// The number of the lock that was at `address` before, if the same place made it, or uses it
/// first, as before: what comes and goes there is one lock. Or 0.
std::uint32_t made_again(std::uint64_t address, kind what, std::uint32_t place,
                         bool is_initialised) noexcept {
  const std::uint32_t before = here.locks.find(address);
  if (before == 0) return 0;
  lock& old = here.kept.locks[before];
  if (old.site != place || old.kind != static_cast<std::uint32_t>(what) ||
      old.initialised != (is_initialised ? 1U : 0U)) {
    return 0;
  }
  old.ended.store(0, std::memory_order_relaxed);
  return before;
}

}  // namespace

/// The entry of what is at `object` from now on.
std::uint32_t make_lock(const void* object, kind what, const void* from,
                        bool is_initialised) noexcept {
  const auto address = reinterpret_cast<std::uint64_t>(object);
  const std::uint32_t place = make_site(reinterpret_cast<std::uint64_t>(from));
  if (const std::uint32_t before = made_again(address, what, place, is_initialised); before != 0) {
    return before;
  }
  if (const std::uint32_t before = here.locks.find(address); before != 0) {
    here.kept.locks[before].ended.store(1, std::memory_order_relaxed);
  }
  table& all = here.kept.head->locks;
  const std::uint32_t next = all.used.load(std::memory_order_relaxed);
  if (!make_room(all, here.kept.locks) || !here.locks.put(address, next)) {
    return lose(address, what);
  }
  lock& made = here.kept.locks[next];
  made.kind = static_cast<std::uint32_t>(what);
  made.site = place;
  made.initialised = is_initialised ? 1 : 0;
  made.address.store(address, std::memory_order_relaxed);
  return count(all);
}

std::uint32_t number_of(const lock& one) noexcept {
  return static_cast<std::uint32_t>(&one - here.kept.locks);
}

lock& lock_with_cache(const void* object, kind what, const void* from,
                      std::atomic<std::uint32_t>& cached) noexcept {
  // relaxed: the number is of an entry that says itself whose it is; whoever reads it late or
  // early, or reads what the object's memory held before it was one, asks again.
  const std::uint32_t known = cached.load(std::memory_order_relaxed);
  if (known != 0) {
    if (known < here.kept.head->locks.used.load(std::memory_order_acquire) &&
        is_at(here.kept.locks[known], object)) {
      return here.kept.locks[known];
    }
    // In the child of a fork() the number may be another.
    const std::uint32_t found = here.locks.find(reinterpret_cast<std::uint64_t>(object));
    if (found != 0 && is_at(here.kept.locks[found], object) &&
        here.kept.locks[found].kind == static_cast<std::uint32_t>(what)) {
      cached.store(found, std::memory_order_relaxed);
      return here.kept.locks[found];
    }
  }
  const auto all = static_cast<std::uint32_t>(what);
  if (lost_at(object) == all) return here.kept.locks[all];
  const maker mine;
  if (!mine.is_mine()) return here.kept.locks[all];
  // Another thread may have been quicker, from another place.
  const std::uint32_t meanwhile = cached.load(std::memory_order_relaxed);
  if (meanwhile != known && is_at(here.kept.locks[meanwhile], object)) {
    return here.kept.locks[meanwhile];
  }
  const std::uint32_t made = make_lock(object, what, from, false);
  if (made > kinds) cached.store(made, std::memory_order_relaxed);
  return here.kept.locks[made];
}

lock* find_lock(const void* object) noexcept {
  if (here.now.load(std::memory_order_acquire) != state::recording) return nullptr;
  const std::uint32_t found = here.locks.find(reinterpret_cast<std::uint64_t>(object));
  if (found != 0 && is_at(here.kept.locks[found], object)) return &here.kept.locks[found];
  const std::uint32_t lost = lost_at(object);
  return lost != 0 ? &here.kept.locks[lost] : nullptr;
}

lock& lock_at(const void* object, kind what, const void* from) noexcept {
  lock* const found = find_lock(object);
  if (found != nullptr && found->kind == static_cast<std::uint32_t>(what)) return *found;
  const maker mine;
  return here.kept.locks[mine.is_mine() ? make_lock(object, what, from, false)
                                        : static_cast<std::uint32_t>(what)];
}

std::uint32_t initialised(const void* object, kind what, const void* from) noexcept {
  thread* const me = this_thread();
  if (me == nullptr) return 0;
  // The child of a fork() may initialise what it inherited locked.
  if (const lock* const old = find_lock(object)) {
    if (holding* const had = holding_of(*me, number_of(*old))) forget(*me, *had);
  }
  // A program that makes a lock for each request has an entry made once.
  const auto address = reinterpret_cast<std::uint64_t>(object);
  if (const std::uint32_t before = made_again(address, what, site_of(from), true); before != 0) {
    return before;
  }
  const maker mine;
  return mine.is_mine() ? make_lock(object, what, from, true) : 0;
}

void destroyed(const void* object) noexcept {
  lock* const one = find_lock(object);
  if (one == nullptr) return;
  const std::uint32_t number = number_of(*one);
  if (number > kinds) {
    one->ended.store(1, std::memory_order_relaxed);
  } else if (const maker mine; mine.is_mine()) {
    here.lost.put(reinterpret_cast<std::uint64_t>(object), number | gone);
  }
}

}  // namespace fencepost::profiler
