// SPDX-License-Identifier: MIT
// Latches: std::latch.
#pragma once

#include <cstdint>

#include "execution/threads/blocked.hpp"

namespace fencepost::checker {

struct Latch {
  std::uintptr_t address;
  std::uint64_t expected;
};

void make_latch(const Latch& latch, std::uint64_t pc);
void count_down(const Latch& latch, std::uint64_t by, std::uint64_t pc);
void wait_for_latch(const Latch& latch, std::uint64_t pc);
bool latch_is_open(const Latch& latch, std::uint64_t pc);
[[noreturn]] void counts_too_far(const Latch& latch, std::uint64_t by, std::uint64_t left,
                                 std::uint64_t pc);

extern const BlockedAt kBlockedAtLatch;

}  // namespace fencepost::checker
