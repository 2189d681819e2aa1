// SPDX-License-Identifier: MIT
// How much of the program's stacks the checker uses.
#pragma once

#include <cstdint>

namespace fencepost::checker {

// The checker runs on the stacks of the program, and what it leaves there lies in the gaps of the
// frames that the program makes next, where it would tell states apart that are the same. So it is
// cleared away (interface/entry.hpp): bytes, a multiple of 64, that passing an event uses, and that
// adding one uses. Clearing too little costs executions that are told apart; clearing more costs
// time with every event, and more than the search itself before long.
inline constexpr std::uint32_t kPassingUses = 192;  // a load or a store, without waiting
inline constexpr std::uint32_t kReplayUses = 320;
inline constexpr std::uint32_t kWaitingUses = 384;
inline constexpr std::uint32_t kAccessUses = 768;  // a new load or store
inline constexpr std::uint32_t kAddingUses = 1152;
inline constexpr std::uint32_t kUnwindingUses = 8192;  // the library, which throws an exception

}  // namespace fencepost::checker
