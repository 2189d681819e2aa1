// SPDX-License-Identifier: MIT
//
// Whether it is any use to spin before going to sleep: not on the processor of the thread that is
// waited for. As long as one spins there, the other does not run.
//
// Nobody knows where the next signal will come from, but who had to wake sleepers the last time
// can tell where it ran: then it makes a system call, and a few nanoseconds more do not count. It
// does so in a table, in the entry that the object's address chooses: objects need no room for it,
// and two that share an entry are at worst as badly off as without.
//
// An entry: the number of a processor, plus one; zero if nobody has woken anybody. Legal to be out
// of date, or another object's: whether a thread spins changes when it returns, and nothing else.
// So everything is relaxed. Each process has a table of its own: a thread of another one is not
// seen in it, and spinning goes on.
#pragma once

#include "fencepost/language.hpp"

#include <sched.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace fencepost::detail {

class last_waker {
 public:
  /// `object`: what threads wait for. Its address is a key; nobody looks at it.
  explicit last_waker(const volatile void* object) noexcept : entry_(entries_[place(object)]) {}

  /// This thread is about to wake whoever waits for the object.
  void is_here() noexcept {
    const std::uint16_t here = this_processor();
    if (entry_.load(std::memory_order_relaxed) != here) {
      entry_.store(here, std::memory_order_relaxed);
    }
  }

  /// Whether the one who did so last ran on this thread's processor.
  [[nodiscard]] bool was_here() const noexcept {
    const std::uint16_t there = entry_.load(std::memory_order_relaxed);
    return there != nowhere && there == this_processor();
  }

 private:
  static constexpr std::uint16_t nowhere = 0;
  static constexpr std::size_t log2_of_entries = 6;

  static std::uint16_t this_processor() noexcept {
    const int before = errno;
    const int number = ::sched_getcpu();  // -1 on error
    errno = before;
    return static_cast<std::uint16_t>(number + 1);
  }

  static std::size_t place(const volatile void* object) noexcept {
    // Multiplication spreads what differs, wherever it is, over the highest bits.
    const auto key = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(object));
    return static_cast<std::size_t>((key * 0x9e37'79b9'7f4a'7c15U) >> (64 - log2_of_entries));
  }

  alignas(
      64) static inline std::array<std::atomic<std::uint16_t>, 1U << log2_of_entries> entries_{};

  std::atomic<std::uint16_t>& entry_;
};

}  // namespace fencepost::detail
