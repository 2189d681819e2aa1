// SPDX-License-Identifier: MIT
//
// A version and a flag in one word: the flag is the highest bit, where the processor's sign flag
// tells of it for nothing, and the version all the others.
//
// Sleepers sleep on the flag. It is lowered by every increment that finds it up, so that a futex on
// the half with the flag will do for a word of 64 bits, and no number of increments between the
// last look and the kernel's is taken for none.
//
// word_: the version never goes back, but for wrapping around. Legal for the flag to be up with
// nobody asleep, as after a wrap-around, which carries into it; illegal to lower it without waking
// everybody afterwards.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>

#include "fencepost/futex.hpp"
#include "fencepost/instrumentation.hpp"

// The checker and ThreadSanitizer do not look into assembly.
#if defined(__x86_64__) && !defined(FENCEPOST_CHECK) && !defined(__SANITIZE_THREAD__)
#define FENCEPOST_EVENT_COUNT_INC 1
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#undef FENCEPOST_EVENT_COUNT_INC
#endif
#endif
#endif

namespace fencepost::event_count_kind {

/// What add() found: the version before, and whether the flag was up, so that the caller must lower
/// it and wake everybody.
template <class Version>
struct addition {
  Version before;
  bool flagged;
};

template <class Version>
class flagged_word {
 public:
  static constexpr Version last_version = std::numeric_limits<Version>::max() >> 1;

  constexpr explicit flagged_word(Version initial) noexcept : word_{initial & last_version} {}

  [[nodiscard]] Version version() const noexcept {
    // acquire: pairs with the increments, of whichever form. What preceded the one that made this
    // version is seen after it; the flag's ups and downs in between are read-modify-writes and do
    // not break the chain. Proof: event_count.increment_publishes.
    return word_.load(std::memory_order_acquire) & last_version;
  }

  [[nodiscard]] bool is_flagged() const noexcept {
    return (word_.load(std::memory_order_relaxed) & flag) != 0;
  }

  /// One locked read-modify-write: sees every flag that was raised before it in the word's order,
  /// and is seen by whoever raises one after it.
  addition<Version> add(Version n) noexcept {
    // release: pairs with version(). Proof: event_count.increment_publishes[many].
    return found(word_.fetch_add(n, std::memory_order_release));
  }

  /// As add(1), but tells of a flag by the sign of what it made, which compilers turn into `lock
  /// inc` and a branch. It does not tell of one that the last version carries away.
  bool increment() noexcept {
    // release: as in add(). Proof: event_count.increment_publishes[many].
    return has_sign(word_.fetch_add(1, std::memory_order_release) + 1);
  }

  /// Without lock prefix, for the one thread that adds: a flag that is raised in the middle of it
  /// is overwritten, but then by a new version, unless n is 0. The acquire load and release store
  /// that it is made of publish as add() does.
  addition<Version> add_alone(Version n) noexcept {
    return found(instrumentation::nonatomic_fetch_add(word_, n));
  }

  /// As add_alone(1), in an instruction that takes fewer cycles where the old value is not wanted.
  bool increment_alone() noexcept {
#if defined(FENCEPOST_EVENT_COUNT_INC)
    // "le": the result is negative, or 0 after the last version carried the flag away.
    bool flagged;
    if constexpr (sizeof(Version) == sizeof(std::uint32_t)) {
      asm volatile("incl %0"
                   : "+m"(*reinterpret_cast<Version*>(&word_)), "=@ccle"(flagged)
                   :
                   : "memory");
    } else {
      asm volatile("incq %0"
                   : "+m"(*reinterpret_cast<Version*>(&word_)), "=@ccle"(flagged)
                   :
                   : "memory");
    }
    return flagged;
#else
    return add_alone(1).flagged;
#endif
  }

  /// Raises the flag if the version is still `old`; whether it is, and the flag is up.
  bool raise(Version old) noexcept {
    Version seen = old;
    // relaxed: it meets the increments in the word's own order, and version() is asked before
    // anybody believes in a change.
    return word_.compare_exchange_strong(seen, old | flag, std::memory_order_relaxed,
                                         std::memory_order_relaxed) ||
           seen == (old | flag);
  }

  void lower() noexcept {
    // relaxed: the wake-up follows, and the kernel orders it with the looks of those who go to
    // sleep: they have slept by then and are woken, or they find the flag down and look again.
    word_.fetch_and(~flag, std::memory_order_relaxed);
  }

  /// Where a thread sleeps that waits for the version after `old` …
  [[nodiscard]] const futex::word& bed() const noexcept {
    const auto* parts = reinterpret_cast<const futex::word*>(&word_);
    constexpr bool high_half_is_second =
        sizeof(Version) != sizeof(futex::word) && std::endian::native == std::endian::little;
    return parts[high_half_is_second ? 1 : 0];
  }

  /// … and while it has which value.
  [[nodiscard]] static std::uint32_t asleep(Version old) noexcept {
    return static_cast<std::uint32_t>((old | flag) >> (bits - 32));
  }

 private:
  static constexpr int bits = std::numeric_limits<Version>::digits;
  static constexpr Version flag = Version{1} << (bits - 1);

  static bool has_sign(Version word) noexcept { return (word & flag) != 0; }

  static addition<Version> found(Version before) noexcept {
    return {before & last_version, has_sign(before)};
  }

  std::atomic<Version> word_;
};

}  // namespace fencepost::event_count_kind

#undef FENCEPOST_EVENT_COUNT_INC
