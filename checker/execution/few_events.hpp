// SPDX-License-Identifier: MIT
// A first look at executions in which each thread has few events.
#pragma once

#include <cstdint>

namespace fencepost::checker {

struct EventBound {
  static constexpr std::uint32_t kNone = ~0U;

  // A thread has so many events.
  void meet(std::uint64_t pc);
  // At the end of an execution: has somebody met it?
  bool is_met() const;
  // After an execution with a bound. Says whether the search begins anew, with the next one.
  bool is_done(bool more);

  std::uint32_t now = kNone;    // events that a thread may have for now
  bool is_tried = false;        // ... or else bounds are tried when one has them
  std::uint32_t seen_with = 0;  // all executions were explored with this one

 private:
  unsigned doublings_ = 0;
};

extern EventBound event_bound;

}  // namespace fencepost::checker
