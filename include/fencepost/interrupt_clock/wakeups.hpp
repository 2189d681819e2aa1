// SPDX-License-Identifier: MIT
//
// Sleeping until the processors have passed, where a daemon runs that wakes.
//
// Beside the clock lie two things: a map that every process may write, in which a waiter says until
// when it wants to be woken, and a file that only the daemon may write, with the words on which
// waiters sleep, one for each millisecond that is waited for. The program in the kernel looks into
// the first whenever it has looked at all processors, and tells the daemon how far they have come;
// the daemon wakes those who wait for that time or an earlier one.
//
// Nothing here is evidence: who is woken asks the clock, and who is not wakes up by itself after a
// time that it has chosen. So anybody may write what they like to the map, or nothing, and no
// waiter is harmed but by the length of that time.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>

#include "fencepost/futex.hpp"
#include "fencepost/interrupt_clock/layout.h"
#include "fencepost/interrupt_clock/offline.hpp"
#include "fencepost/interrupt_clock/opening.hpp"

namespace fencepost {

/// Where waiters of one clock sleep. There are only pointers to it, valid for the process's life.
class interrupt_clock_wakeups {
 public:
  /// Those beside the clock that is pinned at `clock_path`. Null: nobody wakes there.
  static const interrupt_clock_wakeups* open(const char* clock_path) noexcept {
    if (clock_path == nullptr) return nullptr;
    const std::string_view path(clock_path);
    const std::size_t folder = path.rfind('/');
    char name[4096];
    constexpr std::string_view map = "/waiters";
    constexpr std::string_view file = "/wakeups";
    static_assert(map.size() == file.size());
    if (folder == path.npos || folder + map.size() >= sizeof name) return nullptr;
    // Not string_view's copy(): without optimisation that asks for the C++ runtime.
    std::memcpy(name, path.data(), folder);
    name[folder + map.size()] = '\0';
    std::memcpy(name + folder, file.data(), file.size());
    const auto* const words = static_cast<const futex::word*>(map_words(name));
    if (words == nullptr) return nullptr;
    std::memcpy(name + folder, map.data(), map.size());
    void* const waiters = detail::map_waiters(name);
    // Kept for ever, and without an allocator: the library for C has none.
    void* const room = ::mmap(nullptr, sizeof(interrupt_clock_wakeups), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (waiters == nullptr || room == MAP_FAILED) return nullptr;
    return new (room) interrupt_clock_wakeups(waiters, words);
  }

  /// Sleeps until `since` seems to have passed or until `longest` is over, unless `over()` says
  /// once more that there is nothing to wait for. May return at any time.
  template <class Over>
  void sleep(std::uint64_t since, std::chrono::nanoseconds longest, Over over) const noexcept {
    const futex::word& word = words_[(since >> fencepost_clock_word_shift) % fencepost_clock_words];
    const std::uint32_t seen = word.load(std::memory_order_relaxed);
    constexpr std::uint64_t a_moment = 1'000'000;
    const std::uint64_t until =
        processors::monotonic_now() + static_cast<std::uint64_t>(longest.count()) + a_moment;
    // relaxed, and not one step: who overwrites a later time makes others sleep a little longer.
    if (until_->load(std::memory_order_relaxed) < until) {
      until_->store(until, std::memory_order_relaxed);
    }
    // seq_cst: this waiter sees the stamps, or who writes them sees that it waits. Pairs with the
    // exchange in the BPF program. Proof: none; it only decides how long somebody sleeps.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!over()) futex::wait_for(word, seen, longest, futex::scope::shared);
  }

 private:
  static constexpr std::size_t words_size = fencepost_clock_words * sizeof(futex::word);

  interrupt_clock_wakeups(void* waiters, const futex::word* words) noexcept
      : until_(static_cast<std::atomic<std::uint64_t>*>(waiters)), words_(words) {}

  /// Maps the daemon's file, which must be of who made the name that leads to it.
  static const void* map_words(const char* name) noexcept {
    const long opened = kernel::open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (opened < 0) return nullptr;
    const int file = static_cast<int>(opened);
    struct stat link {};
    struct stat its {};
    const void* words = nullptr;
    if (::lstat(name, &link) == 0 && ::fstat(file, &its) == 0 && S_ISREG(its.st_mode) &&
        its.st_uid == link.st_uid && its.st_size == static_cast<off_t>(words_size)) {
      void* const mapped = ::mmap(nullptr, words_size, PROT_READ, MAP_SHARED, file, 0);
      if (mapped != MAP_FAILED) words = mapped;
    }
    kernel::close(file);
    return words;
  }

  std::atomic<std::uint64_t>* until_;  // of fencepost_clock_waiters
  const futex::word* words_;
};

}  // namespace fencepost
