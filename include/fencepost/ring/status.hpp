// SPDX-License-Identifier: MIT
//
// What became of a push or a pop, and what a ring may be told when it is made.
#pragma once

namespace fencepost {

/// The result of an operation on a ring; true where it succeeded.
class ring_status {
 public:
  // Scoped: success is 0, and must not become a bool by itself.
  enum class reason : unsigned char {
    success,
    full,      ///< try_ forms: nothing was pushed, the argument is as it was
    empty,     ///< try_ forms: nothing was popped
    closed,    ///< push: the ring was closed; pop: and all that was in it is taken
    timed_out  ///< timed forms: the ring was full, or empty, all the time
  };
  static constexpr reason success = reason::success;
  static constexpr reason full = reason::full;
  static constexpr reason empty = reason::empty;
  static constexpr reason closed = reason::closed;
  static constexpr reason timed_out = reason::timed_out;

  constexpr ring_status(reason why) noexcept : why_(why) {}  // NOLINT: a reason is a status
  constexpr explicit operator bool() const noexcept { return why_ == success; }
  constexpr operator reason() const noexcept { return why_; }  // NOLINT: for switch and ==

  /// For messages.
  [[nodiscard]] constexpr const char* what() const noexcept {
    switch (why_) {
      case success:
        return "success";
      case full:
        return "full";
      case empty:
        return "empty";
      case closed:
        return "closed";
      case timed_out:
        return "timed out";
    }
    return "?";
  }

 private:
  reason why_;
};

/// What can be chosen about a ring at compile time.
struct ring_tuning {
  /// False: no push or pop that waits, and no close(); what is left never calls the kernel.
  bool blocking = true;
  /// Looks at the ring before a thread goes to sleep, with 1, 2, 4 and at most 32 processor pauses
  /// in between. The default burns some 250 pauses: on processors of the 2020s 4 to 12
  /// microseconds, about what falling asleep and being woken would cost. On the processor of the
  /// thread that last woke somebody nobody spins; see last_waker.hpp.
  unsigned spins = 12;
#ifdef NDEBUG
  bool catch_misuse = false;
#else
  /// Abort when two threads push (or pop) at once where one may, or a ring is destroyed in use.
  /// Not between processes, where one that was killed would be taken for such a thread.
  bool catch_misuse = true;
#endif
};

}  // namespace fencepost
