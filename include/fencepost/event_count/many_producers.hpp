// SPDX-License-Identifier: MIT
//
// Event counts with any number of producers: each increment is one locked read-modify-write.
//
// Increments and the raising of the flag are read-modify-writes of one word, so one comes before
// the other: the increment sees the flag, or the flag is not raised because the version has
// changed. Nothing else takes part. x86: `lock inc` or `lock xadd`. AArch64: `ldaddl`, or an
// exclusive pair.
#pragma once

#include <cstdint>

#include "fencepost/event_count/flagged_word.hpp"
#include "fencepost/event_count/tuning.hpp"

namespace fencepost::event_count_kind {

template <class Version, futex::scope Scope, event_count_tuning Tuning>
class many_producers {
 public:
  static constexpr Version last_version = flagged_word<Version>::last_version;

  static certainty sleeps() noexcept { return certainty::by_order; }

  constexpr explicit many_producers(Version initial) noexcept : word_{initial} {}

  [[nodiscard]] Version version() const noexcept { return word_.version(); }
  [[nodiscard]] bool is_flagged() const noexcept { return word_.is_flagged(); }
  bool increment() noexcept { return word_.increment(); }
  addition<Version> add(Version n) noexcept { return word_.add(n); }
  void lower() noexcept { word_.lower(); }
  bool raise(Version old, std::uint32_t& asleep) noexcept { return word_.raise(old, asleep); }

  /// Once in as many increments as there are versions a flag may be missed.
  static bool make_sure(Version old) noexcept {
    return flagged_word<Version>::increment_tells(old);
  }

  [[nodiscard]] const futex::word& bed() const noexcept { return word_.bed(); }

 private:
  flagged_word<Version> word_;
};

}  // namespace fencepost::event_count_kind
