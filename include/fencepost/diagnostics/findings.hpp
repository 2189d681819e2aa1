// SPDX-License-Identifier: MIT
//
// What can be concluded from the tables: waits, deadlocks, lost wake-ups. See diagnostics.hpp.
#pragma once

#include <cinttypes>
#include <cstdio>
#include <iterator>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "fencepost/diagnostics/reports.hpp"

namespace fencepost::diagnostics {

namespace detail {

/// A record as it was at one moment.
struct snapshot {
  thread_record* of = nullptr;
  pid_t thread = 0;
  doing what = doing::nothing;
  const void* lock = nullptr;
  std::int64_t began = 0;
  std::uint64_t number = 0;
  std::uint64_t changes = 0;
};

inline snapshot look_at(thread_record& record) noexcept {
  const std::lock_guard in(record.guard);
  return {&record,      record.thread, record.what,   record.lock,
          record.began, record.number, record.changes};
}

/// Every thread that is inside lock() or unlock() of a recorded lock.
inline std::vector<snapshot> look_at_all() {
  std::vector<snapshot> all;
  for (thread_record& record : thread_table) {
    const snapshot seen = look_at(record);
    if (seen.thread != 0 && seen.what != doing::nothing) all.push_back(seen);
  }
  return all;
}

/// Whether the thread has done nothing with a recorded lock since: it was in that state all along.
inline bool unmoved(const snapshot& seen) noexcept {
  return look_at(*seen.of).changes == seen.changes;
}

inline wait_report report(const snapshot& wait) {
  wait_report r;
  r.thread = wait.thread;
  r.asleep = wait.what == doing::sleeping;
  r.lock = wait.lock;
  r.waiting = since(wait.began);
  if (const lock_entry* const entry = find(wait.lock);
      entry != nullptr && entry->lock.load(std::memory_order_relaxed) == wait.lock) {
    r.name = name_of(*entry);
    r.holder = entry->holder.load(std::memory_order_relaxed);
    if (r.holder != 0) r.held = since(entry->held_since.load(std::memory_order_relaxed));
  }
  return r;
}

inline pid_t holder_of(const void* lock) noexcept {
  const lock_entry* const entry = find(lock);
  return entry == nullptr ? 0 : entry->holder.load(std::memory_order_relaxed);
}

/// Whether the kernel has the thread asleep in a futex call on that word: not on its way there, and
/// not woken. /proc/self/task/N/syscall holds "running", or the number of the call, its arguments…
inline bool asleep_in_the_kernel(pid_t thread, const futex::word* on) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/syscall", static_cast<int>(thread));
  std::FILE* const file = std::fopen(path, "re");
  if (file == nullptr) return false;
  long call = -1;
  std::uintptr_t word = 0;
  const int found = std::fscanf(file, "%ld %" SCNxPTR, &call, &word);
  std::fclose(file);
  return found == 2 && call == futex::detail::number &&
         word == reinterpret_cast<std::uintptr_t>(on);
}

/// Whether the record's thread sleeps in the kernel on a word that still holds the value it sleeps
/// for. The guard keeps the thread from leaving lock(), and so the word where it is.
inline bool sleeps_on_an_unchanged_word(const snapshot& seen) {
  const std::lock_guard in(seen.of->guard);
  const thread_record& record = *seen.of;
  return record.changes == seen.changes && record.what == doing::sleeping &&
         record.on->load(std::memory_order_relaxed) == record.value &&
         asleep_in_the_kernel(record.thread, record.on);
}

/// deadlocks() with the numbers of the waits.
inline std::vector<std::vector<snapshot>> cycles() {
  const std::vector<snapshot> all = look_at_all();
  const auto asleep = [&](pid_t thread) -> const snapshot* {
    for (const snapshot& s : all) {
      if (s.thread == thread && s.what == doing::sleeping) return &s;
    }
    return nullptr;
  };
  std::vector<std::vector<snapshot>> found;
  std::set<pid_t> done;
  for (const snapshot& start : all) {
    std::vector<snapshot> path;
    const snapshot* at = &start;
    const auto on_path = [&](pid_t thread) {
      return std::find_if(path.begin(), path.end(),
                          [&](const snapshot& s) { return s.thread == thread; });
    };
    while (at != nullptr && at->what == doing::sleeping && !done.contains(at->thread) &&
           on_path(at->thread) == path.end()) {
      path.push_back(*at);
      at = asleep(holder_of(at->lock));
    }
    if (at != nullptr) {
      path.erase(path.begin(), on_path(at->thread));  // the way into the cycle is not part of it
      // Nobody has moved since: all of them slept at once, and held what they were seen to hold.
      if (!path.empty() && on_path(at->thread) != path.end() &&
          std::all_of(path.begin(), path.end(), unmoved)) {
        found.push_back(path);
      }
    }
    for (const snapshot& s : path) done.insert(s.thread);
  }
  return found;
}

/// lost_wakeups() with the numbers of the waits.
inline std::vector<snapshot> lost() {
  const std::vector<snapshot> all = look_at_all();
  std::set<const void*> locks;
  for (const snapshot& s : all) locks.insert(s.lock);
  std::vector<snapshot> found;
  for (const void* const lock : locks) {
    // A lock that somebody holds will be released; somebody inside lock() or unlock() and not
    // asleep has still to look at the sleepers, or to take the lock.
    std::vector<snapshot> sleepers;
    std::copy_if(all.begin(), all.end(), std::back_inserter(sleepers),
                 [&](const snapshot& s) { return s.lock == lock; });
    if (!std::all_of(sleepers.begin(), sleepers.end(), sleeps_on_an_unchanged_word)) continue;
    const lock_entry* const entry = find(lock);
    if (entry == nullptr || entry->lock.load(std::memory_order_relaxed) != lock) continue;
    const std::uint64_t before = entry->acquisitions.load(std::memory_order_relaxed);
    if (entry->holder.load(std::memory_order_relaxed) != 0) continue;
    // Once more, from the beginning: the same threads, in the same state, and nobody else.
    std::vector<snapshot> again = look_at_all();
    std::erase_if(again, [&](const snapshot& s) { return s.lock != lock; });
    const bool same = std::equal(again.begin(), again.end(), sleepers.begin(), sleepers.end(),
                                 [](const snapshot& a, const snapshot& b) {
                                   return a.of == b.of && a.changes == b.changes;
                                 });
    if (same && std::all_of(sleepers.begin(), sleepers.end(), sleeps_on_an_unchanged_word) &&
        entry->holder.load(std::memory_order_relaxed) == 0 &&
        entry->acquisitions.load(std::memory_order_relaxed) == before) {
      found.insert(found.end(), sleepers.begin(), sleepers.end());
    }
  }
  return found;
}

inline std::string seconds(nanoseconds time) {
  char text[48];
  std::snprintf(text, sizeof text, "%.3f s", std::chrono::duration<double>(time).count());
  return text;
}

inline std::string lock_name(const void* lock, const char* name) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", lock);
  return *name == '\0' ? std::string("lock ") + text : std::string(name) + " (" + text + ")";
}

template <class To, class From, class Function>
std::vector<To> each(const std::vector<From>& from, Function function) {
  std::vector<To> to;
  to.reserve(from.size());
  for (const From& one : from) to.push_back(function(one));
  return to;
}

}  // namespace detail

inline std::vector<wait_report> waits() {
  std::vector<detail::snapshot> all = detail::look_at_all();
  std::erase_if(all, [](const auto& s) { return !detail::is_waiting(s.what); });
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.began < b.began; });
  return detail::each<wait_report>(all, detail::report);
}

inline std::vector<std::vector<wait_report>> deadlocks() {
  return detail::each<std::vector<wait_report>>(detail::cycles(), [](const auto& cycle) {
    return detail::each<wait_report>(cycle, detail::report);
  });
}

inline std::vector<wait_report> lost_wakeups() {
  return detail::each<wait_report>(detail::lost(), detail::report);
}

inline std::string to_string(const wait_report& wait) {
  std::string text =
      "thread " + std::to_string(wait.thread) + (wait.asleep ? " sleeps" : " spins") + " for " +
      detail::lock_name(wait.lock, wait.name) + " since " + detail::seconds(wait.waiting);
  if (wait.holder != 0) {
    text +=
        ", held by thread " + std::to_string(wait.holder) + " for " + detail::seconds(wait.held);
  } else {
    text += ", held by nobody";
  }
  return text;
}

inline std::string to_string(const std::vector<wait_report>& cycle) {
  std::string text = "deadlock: ";
  for (const wait_report& wait : cycle) {
    text += (&wait == cycle.data() ? "thread " : ", thread ") + std::to_string(wait.thread) +
            " waits for " + detail::lock_name(wait.lock, wait.name) + " held by thread " +
            std::to_string(wait.holder);
  }
  return text;
}

inline void write(std::FILE* to) {
  std::fprintf(to, "%-32s %12s %12s %10s %12s %10s %10s %10s %14s %14s\n", "lock", "acquisitions",
               "contended", "gave up", "spins", "sleeps", "wake-ups", "hand-overs", "waited",
               "longest");
  for (const lock_report& lock : locks()) {
    std::fprintf(to,
                 "%-32s %12" PRIu64 " %12" PRIu64 " %10" PRIu64 " %12" PRIu64 " %10" PRIu64
                 " %10" PRIu64 " %10" PRIu64 " %14s %14s\n",
                 detail::lock_name(lock.lock, lock.name).c_str(), lock.acquisitions, lock.contended,
                 lock.gave_up, lock.spins, lock.sleeps, lock.wakeups, lock.hand_overs,
                 detail::seconds(lock.waited).c_str(), detail::seconds(lock.longest_wait).c_str());
  }
  for (const wait_report& wait : waits()) std::fprintf(to, "%s\n", to_string(wait).c_str());
  for (const auto& cycle : deadlocks()) std::fprintf(to, "%s\n", to_string(cycle).c_str());
  for (const wait_report& wait : lost_wakeups()) {
    std::fprintf(to, "lost wake-up: %s\n", to_string(wait).c_str());
  }
  if (not_recorded() != 0) {
    std::fprintf(to, "%" PRIu64 " uses of locks were not recorded: the tables are full\n",
                 not_recorded());
  }
}

}  // namespace fencepost::diagnostics
