// SPDX-License-Identifier: MIT
//
// What is recorded of this process, to the files that make entries.
#pragma once

#include <pthread.h>
#include <sys/syscall.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "../../preload/c_library/kernel_number.hpp"
#include "address_map.hpp"
#include "fencepost/detail/kernel.hpp"
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

/// Whether this is the child of a fork(), and the handler that begins its record has yet to run.
/// Others that were registered before come first; who made an entry at the fork() is not there.
inline bool is_unknown_child() noexcept {
  return current.forks != 0 && current.forks != preload::kernel_number();
}

/// While it lives, this thread makes entries and nobody else does. Not `is_mine()` where the thread
/// does so already and was interrupted by a signal, nor in the first moments of a child. Signals
/// wait until it is over, for their handlers may leave by siglongjmp(); not where nothing may be
/// asked of the kernel.
class maker {
 public:
  maker() noexcept : is_mine_(!current.is_internal && !is_unknown_child()) {
    if (!is_mine_) return;
    blocks_ = !here.is_confined.load(std::memory_order_relaxed);
    if (blocks_) set_signals(~std::uint64_t{0}, &before_);
    current.is_internal = true;
    error_ = errno;
    here.making.lock();
  }
  ~maker() {
    if (!is_mine_) return;
    here.making.unlock();
    errno = error_;
    current.is_internal = false;
    if (blocks_) set_signals(before_, nullptr);
  }
  maker(const maker&) = delete;
  maker& operator=(const maker&) = delete;

  [[nodiscard]] bool is_mine() const noexcept { return is_mine_; }

 private:
  static void set_signals(std::uint64_t blocked, std::uint64_t* before) noexcept {
    kernel::call(SYS_rt_sigprocmask, SIG_SETMASK, &blocked, before, sizeof blocked);
  }

  bool is_mine_;
  bool blocks_ = false;
  int error_ = 0;
  std::uint64_t before_ = 0;
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
