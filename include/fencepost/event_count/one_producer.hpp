// SPDX-License-Identifier: MIT
//
// Event counts with one producer, on x86-64: the increment is one instruction without lock prefix.
//
// Such an instruction loads, adds and stores, and other processors may come in between. A flag that
// is raised there is overwritten, silently, but by a new version; nothing is lost if the thread
// that raised it looks again late enough. How late is what this kind is about. Paul Khuong, to
// whom it is due, let waiters sleep for growing times until a second had passed, because an
// interrupt will have come by then. Here they cause one: after raising the flag a waiter issues
// membarrier(2). Interrupts come between instructions, never inside one, and drain the store
// buffer, so for each increment there are two cases:
//
// * it was complete when the producer was interrupted: its version is in memory, and the waiter's
//   next look, which is the kernel's, finds it;
// * it had not begun: it will load the word from memory, find the flag, and wake the waiter.
//
// Each waiter needs a barrier of its own, also when it finds the flag up: it may have been raised a
// moment ago by another, and be about to be overwritten.
//
// A full fence on both sides would not do, nor would the x86 model's store buffer be all: load and
// store of the increment are not atomic even under sequential consistency. Where the kernel has no
// barrier, waiters sleep for bounded times, growing, and look again, for as long as they wait.
//
// Between processes the producer's one must have enrolled to be interrupted. One that cannot
// increments with lock prefix, which costs it a load and a branch to find out.
//
// No other processor that Linux runs on has such an instruction: elsewhere this is many_producers
// by another name.
#pragma once

#include <cstdint>

#include "fencepost/event_count/flagged_word.hpp"
#include "fencepost/event_count/heavy_barrier.hpp"
#include "fencepost/event_count/tuning.hpp"

namespace fencepost::event_count_kind {

template <class Version, futex::scope Scope, event_count_tuning Tuning>
class one_producer {
 public:
  static constexpr Version last_version = flagged_word<Version>::last_version;

  static certainty sleeps() noexcept {
    if constexpr (!instrumentation::has_nonatomic_fetch_add) return certainty::by_order;
    if constexpr (!Tuning.heavy_barrier) return certainty::by_time;
    return has_heavy_barrier<Scope>() ? certainty::by_barrier
                                      : without_heavy_barrier<Scope>(certainty::by_time);
  }

  constexpr explicit one_producer(Version initial) noexcept : word_{initial} {}

  [[nodiscard]] Version version() const noexcept { return word_.version(); }
  [[nodiscard]] bool is_flagged() const noexcept { return word_.is_flagged(); }

  bool increment() noexcept {
    if constexpr (instrumentation::has_nonatomic_fetch_add) {
      if (can_be_interrupted()) [[likely]]
        return word_.increment_alone();
    }
    return word_.add(1).flagged;
  }

  addition<Version> add(Version n) noexcept {
    if constexpr (instrumentation::has_nonatomic_fetch_add) {
      // An addition of nothing would overwrite a flag by no new version.
      if (n == 0) return {word_.version(), false};
      if (can_be_interrupted()) [[likely]]
        return word_.add_alone(n);
    }
    return word_.add(n);
  }

  void lower() noexcept { word_.lower(); }
  bool raise(Version old, std::uint32_t& asleep) noexcept { return word_.raise(old, asleep); }

  /// Whether the flag, if it is up still, will be seen by the next increment.
  static bool make_sure(Version /*old*/) noexcept {
    if constexpr (!instrumentation::has_nonatomic_fetch_add) return true;
    if constexpr (!Tuning.heavy_barrier) return false;
    return heavy_barrier<Scope>();
  }

  [[nodiscard]] const futex::word& bed() const noexcept { return word_.bed(); }

 private:
  /// Whether waiters need not be content with an increment that nobody may interrupt.
  static bool can_be_interrupted() noexcept {
    if constexpr (Scope == futex::scope::process) {
      return true;  // or make_sure() says that it cannot
    } else {
      static_cast<void>(&detail::decided_early<interprocess_asymmetric_fence_strategy>);
      return has_heavy_barrier<Scope>();
    }
  }

  flagged_word<Version> word_;
};

}  // namespace fencepost::event_count_kind
