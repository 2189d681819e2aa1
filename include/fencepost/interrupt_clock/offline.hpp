// SPDX-License-Identifier: MIT
//
// Processors that are switched off take no interrupts, and need none: no thread runs on them, and
// one that will comes there by a switch of threads. An interrupt clock mostly says so by itself,
// for a processor that is off looks idle; but it cannot for one that was off before the clock
// began.
//
// So a waiter to whom a processor's stamp seems to stand still asks the kernel which processors are
// on. What counts is that the answer is newer than the time waited for. Answers are shared by the
// threads of the process, and asked for once a millisecond at most: each is a file opened and read.
#pragma once

#include <sched.h>
#include <sys/vfs.h>
#include <time.h>

#include <atomic>
#include <cstdint>

#include "fencepost/detail/kernel.hpp"
#include "fencepost/instrumentation.hpp"
#include "fencepost/interrupt_clock/processors.hpp"

namespace fencepost::processors {

/// The time under the checker, whose threads have no clock in common: whoever checks has it
/// advance. Who reads a later time than another has read it later, and that is all that is known of
/// the two.
inline constinit std::atomic<std::uint64_t> checked_time{1};

/// CLOCK_MONOTONIC, in nanoseconds.
inline std::uint64_t monotonic_now() noexcept {
  if constexpr (instrumentation::checking) return checked_time.load(std::memory_order_relaxed);
  const timespec now = kernel::now(CLOCK_MONOTONIC);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

class offline_record {
 public:
  /// Was the processor off at some time later than `time`? False also where nobody knows. `list`:
  /// a file instead of the kernel's.
  bool off_after(std::uint64_t time, unsigned processor, const char* list = nullptr) noexcept {
    if (processor >= CPU_SETSIZE) return false;
    if (asked_.load(std::memory_order_relaxed) <= time && !ask(list)) return false;
    // acquire: the bits are of an answer at least as new as `asked_`, for they are stored before
    // it. A newer answer will do as well. Proof: none; what is stored is read from a file.
    return asked_.load(std::memory_order_acquire) > time &&
           ((off_[processor / 64].load(std::memory_order_relaxed) >> (processor % 64)) & 1) != 0;
  }

 private:
  static constexpr std::uint64_t pause = 1'000'000;

  [[gnu::noinline, gnu::cold]] bool ask(const char* list) noexcept {
    // One at a time: an older answer must not be stored over a newer one. What fork() catches in
    // here is a child that never learns that a processor is off, and waits for it like for others.
    // acquire, with the release below: of next_. Proof: none; it is about a file.
    if (busy_.exchange(true, std::memory_order_acquire)) return false;
    const std::uint64_t now = monotonic_now();
    const bool answered = now >= next_ && store_answer(list);
    if (answered) {
      // release: see off_after(). Proof: none; it is about a file.
      asked_.store(now, std::memory_order_release);
    }
    if (now >= next_) next_ = now + pause;
    // release: with the exchange above. Proof: none; it is about a file.
    busy_.store(false, std::memory_order_release);
    return answered;
  }

  /// Whether it is the kernel's own: LXCFS has containers see a list of so many processors as they
  /// may use, and others of them run their threads.
  static bool is_the_kernels(const char* list) noexcept {
    struct statfs system {};
    constexpr unsigned long sysfs = 0x62656572;
    return ::statfs(list, &system) == 0 && static_cast<unsigned long>(system.f_type) == sysfs;
  }

  bool store_answer(const char* list) noexcept {
    if (list == nullptr) {
      list = online;
      if (!is_the_kernels(list)) return false;
    }
    char text[4096];
    const long length = read_file(list, text, sizeof text);
    if (length <= 0) return false;
    std::uint64_t off[words];
    for (std::uint64_t& word : off) word = ~std::uint64_t{0};
    const bool understood =
        for_each_in(text, static_cast<std::size_t>(length), [&](unsigned processor) {
          if (processor < CPU_SETSIZE) off[processor / 64] &= ~(std::uint64_t{1} << processor % 64);
        });
    if (!understood) return false;
    for (int i = 0; i < words; ++i) off_[i].store(off[i], std::memory_order_relaxed);
    return true;
  }

  static constexpr int words = CPU_SETSIZE / 64;
  std::atomic<std::uint64_t> asked_{0};  ///< when the question of the answer below was put
  std::atomic<bool> busy_{false};
  std::uint64_t next_ = 0;  ///< when the next may be put; for who is busy
  std::atomic<std::uint64_t> off_[words]{};
};

[[gnu::visibility("default")]] inline constinit offline_record offline{};

}  // namespace fencepost::processors
