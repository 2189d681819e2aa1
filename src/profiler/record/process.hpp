// SPDX-License-Identifier: MIT
//
// What is recorded of this process, to the files that make entries.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>

#include "address_map.hpp"
#include "fencepost/mutex.hpp"
#include "file.hpp"
#include "recording.hpp"

namespace fencepost::profiler {

enum class state : int { unknown, recording, off };

struct process {
  std::atomic<state> now{state::unknown};
  /// Held by whoever makes an entry.
  fencepost::mutex making;
  file kept;
  /// Of the process that this one was forked off from, until the first entry is made; and how many
  /// entries its table of locks had then.
  file inherited;
  std::uint32_t inherited_locks = 0;
  /// When the process began, or was executed, as far as it is seen from inside.
  std::uint64_t began = 0;
  /// Threads that have had an entry.
  std::uint32_t threads_made = 0;
  address_map sites;
  address_map locks;
  address_map stacks;
  /// The kinds of locks that found no entry of their own.
  address_map lost;
  bool wants_stacks = false;
  bool is_prepared = false;
  /// Nothing may be asked of the kernel any more (confinement.hpp).
  std::atomic<bool> is_confined{false};
  /// The file that this process executes.
  std::array<char, 504> program{};
  pthread_key_t at_thread_exit = 0;
};

extern constinit process here;

/// While it lives, this thread makes entries and nobody else does. Not `is_mine()` where the thread
/// does so already and was interrupted by a signal.
class maker {
 public:
  maker() noexcept : is_mine_(!current.is_internal) {
    if (!is_mine_) return;
    current.is_internal = true;
    error_ = errno;
    here.making.lock();
  }
  ~maker() {
    if (!is_mine_) return;
    here.making.unlock();
    errno = error_;
    current.is_internal = false;
  }
  maker(const maker&) = delete;
  maker& operator=(const maker&) = delete;

  [[nodiscard]] bool is_mine() const noexcept { return is_mine_; }

 private:
  bool is_mine_;
  int error_ = 0;
};

/// Counts a complete entry, and gives its number.
inline std::uint32_t count(table& one) noexcept {
  const std::uint32_t made = one.used.load(std::memory_order_relaxed);
  // release: the entry before the number that says it is there. Pairs with the reader's.
  one.used.store(made + 1, std::memory_order_release);
  return made;
}

// Each makes an entry, or finds the one that there is; the calling thread is the maker. 0, or
// that of all locks of the kind, where there is no room.
std::uint32_t make_site(std::uint64_t address) noexcept;
std::uint32_t make_lock(const void* object, kind what, const void* from,
                        bool is_initialised) noexcept;

}  // namespace fencepost::profiler
