// SPDX-License-Identifier: MIT
//
// What a lock tells whoever watches it.
//
// Every mutex here takes an Observer: a type with the static functions below, called at the moments
// their comments name. `unobserved` has them all empty, is the default and costs nothing;
// diagnostics.hpp has one that counts, names holders and finds cycles.
//
// The functions get the address of the lock, as a name for it: after a release the lock may be
// gone, and an observer must not look at what the address points to. They run inside lock() and
// unlock(), so they must not throw or take a lock that they watch. A type of your own derives from
// `unobserved`, sets `enabled` and hides the functions that it wants.
#pragma once

#include "fencepost/language.hpp"

#include <cstdint>

#include "fencepost/futex.hpp"

namespace fencepost {

struct unobserved {
  /// Whether the lock has to call at all.
  static constexpr bool enabled = false;

  /// The calling thread looks for the first time whether it can have the lock. Followed by
  /// contending(), acquired() or gave_up().
  static void taking(const void* /*lock*/) noexcept {}

  /// The calling thread found the lock taken and begins to spin or wait. Ends with acquired() or
  /// gave_up().
  static void contending(const void* /*lock*/) noexcept {}

  /// The calling thread has just locked: after looking `spins` times more than once, and after
  /// going to sleep `sleeps` times. Both are zero when it found the lock free.
  static void acquired(const void* /*lock*/, unsigned /*spins*/, unsigned /*sleeps*/) noexcept {}

  /// The calling thread has given up: its try or its time was over.
  static void gave_up(const void* /*lock*/, unsigned /*spins*/, unsigned /*sleeps*/) noexcept {}

  /// The calling thread still holds the lock and releases it next.
  static void releasing(const void* /*lock*/) noexcept {}

  /// The calling thread goes to sleep for as long as `on` holds `value`.
  static void sleeping(const void* /*lock*/, const futex::word& /*on*/,
                       std::uint32_t /*value*/) noexcept {}

  /// The sleep that sleeping() announced did not begin, for the word was another by then. Comes
  /// before awake(), from the locks that can tell: mutex and futex_mutex.
  static void stayed_awake(const void* /*lock*/) noexcept {}

  /// The calling thread has slept, or did not have to.
  static void awake(const void* /*lock*/) noexcept {}

  /// The last thing that unlock() does: the lock is released, and so many of its sleepers were
  /// woken, often none. Follows every releasing() and handed_over().
  static void woke(const void* /*lock*/, int /*threads*/) noexcept {}

  /// The calling thread holds the lock and passes it on to a sleeper, without anybody else getting
  /// a chance. Comes instead of releasing().
  static void handed_over(const void* /*lock*/) noexcept {}
};

}  // namespace fencepost
