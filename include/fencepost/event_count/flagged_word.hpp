// SPDX-License-Identifier: MIT
//
// A version and a flag in one word.
//
// Sleepers sleep while the version is theirs and the flag is up. The kernel compares 32 bits, so
// both must be in them: a word of 32 bits has its flag at the top, where the processor's sign flag
// tells of it for nothing; one of 64 bits has it at the bottom, next to the version's 31 lowest
// bits. Neither alone would do: a producer that is late to lower a flag, for waiters of the version
// before, may lower it for those of this one, and a flag may be up again for those of the next.
//
// word_: the version never goes back, but for wrapping around. Legal for the flag to be up with
// nobody asleep, as after a version of 31 bits has wrapped around and carried into it; illegal to
// lower it without waking everybody afterwards.
#pragma once

#include <atomic>
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
  static constexpr bool flag_is_sign = sizeof(Version) == sizeof(futex::word);

 public:
  static constexpr Version last_version = std::numeric_limits<Version>::max() >> 1;

  constexpr explicit flagged_word(Version initial) noexcept : word_{with_flag_down(initial)} {}

  [[nodiscard]] Version version() const noexcept {
    // acquire: pairs with the increments, of whichever form. What preceded the one that made this
    // version is seen after it; the flag's ups and downs in between are read-modify-writes and do
    // not break the chain. Proof: event_count.increment_publishes.
    return version_in(word_.load(std::memory_order_acquire));
  }

  [[nodiscard]] bool is_flagged() const noexcept {
    return is_up(word_.load(std::memory_order_relaxed));
  }

  /// One locked read-modify-write: sees every flag that was raised before it in the word's order,
  /// and is seen by whoever raises one after it.
  addition<Version> add(Version n) noexcept {
    // release: pairs with version(). Proof: event_count.increment_publishes[many].
    return found(word_.fetch_add(n * one, std::memory_order_release));
  }

  /// As add(1), but in 32 bits tells of a flag by the sign of what it made, which gcc turns into
  /// `lock inc` and a branch. That misses the flag that the last version carries away.
  bool increment() noexcept {
    // release: as in add(). Proofs: event_count.increment_publishes[many],
    // event_count.increment_publishes[many64].
    const Version before = word_.fetch_add(one, std::memory_order_release);
    return is_up(flag_is_sign ? before + one : before);
  }

  /// Whether increment() tells of a flag that was raised for the version `old`.
  static bool increment_tells(Version old) noexcept { return !flag_is_sign || old != last_version; }

  /// Without lock prefix, for the one thread that adds: a flag that is raised in the middle of it
  /// is overwritten, but then by a new version, unless n is 0. The acquire load and release store
  /// that it is made of publish as add() does.
  addition<Version> add_alone(Version n) noexcept {
    return found(instrumentation::nonatomic_fetch_add(word_, n * one));
  }

  /// As add_alone(1), in an instruction that is faster where the old value is not wanted: several
  /// times on AMD's.
  bool increment_alone() noexcept {
    if constexpr (flag_is_sign) {
#if defined(FENCEPOST_EVENT_COUNT_INC)
      // "le": the result is negative, or 0 after the last version carried the flag away.
      bool flagged;
      asm volatile("incl %0"
                   : "+m"(*reinterpret_cast<Version*>(&word_)), "=@ccle"(flagged)
                   :
                   : "memory");
      return flagged;
#else
      return add_alone(1).flagged;
#endif
    } else {
#if defined(FENCEPOST_EVENT_COUNT_INC)
      asm volatile("addq %1, %0"
                   : "+m"(*reinterpret_cast<Version*>(&word_))
                   : "i"(one)
                   : "cc", "memory");
#else
      instrumentation::nonatomic_fetch_add(word_, one);
#endif
      // A flag that the addition has read is up still, for nobody else lowers it.
      return is_flagged();
    }
  }

  /// Raises the flag if the version is still `old`; whether it is, and the flag is up. Then
  /// `asleep` is the value of bed() for as long as that is so.
  bool raise(Version old, std::uint32_t& asleep) noexcept {
    Version seen = with_flag_down(old);
    const Version wanted = seen | flag;
    asleep = static_cast<std::uint32_t>(wanted);
    // relaxed: it meets the increments in the word's own order, and version() is asked before
    // anybody believes in a change.
    return word_.compare_exchange_strong(seen, wanted, std::memory_order_relaxed,
                                         std::memory_order_relaxed) ||
           seen == wanted;
  }

  void lower() noexcept {
    // relaxed: the wake-up follows, and the kernel orders it with the looks of those who go to
    // sleep: they have slept by then and are woken, or they find the flag down and look again.
    word_.fetch_and(~flag, std::memory_order_relaxed);
  }

  /// Where the kernel looks, and sleepers sleep.
  [[nodiscard]] const futex::word& bed() const noexcept {
    if constexpr (flag_is_sign) {
      return word_;
    } else {
      return futex::low_half(word_);
    }
  }

 private:
  static constexpr Version flag = flag_is_sign ? last_version + 1 : 1;
  static constexpr Version one = flag_is_sign ? 1 : 2;

  static constexpr Version with_flag_down(Version version) noexcept {
    return flag_is_sign ? version & last_version : version * one;
  }
  static Version version_in(Version word) noexcept { return (word & ~flag) / one; }
  static bool is_up(Version word) noexcept { return (word & flag) != 0; }
  static addition<Version> found(Version before) noexcept {
    return {version_in(before), is_up(before)};
  }

  std::atomic<Version> word_;
};

}  // namespace fencepost::event_count_kind

#undef FENCEPOST_EVENT_COUNT_INC
