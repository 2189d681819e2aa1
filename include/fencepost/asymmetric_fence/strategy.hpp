// SPDX-License-Identifier: MIT
//
// What a light and a heavy fence of this process are, and what each way of having them is called.
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>

namespace fencepost {

/// In the order in which they are tried. Of the first four the light fence is for the compiler
/// alone: their heavy fence has every other thread of the process execute a full fence, between two
/// of its instructions.
enum class asymmetric_strategy : unsigned char {
  private_expedited,  ///< membarrier(2): interrupts the processors that run this process
  global_expedited,   ///< membarrier(2): those that run any process that has enrolled; before 5.10
  global,             ///< membarrier(2): waits until every processor has switched; milliseconds
  mprotect,           ///< takes a page away, which other processors must be told; x86-64
  undecided,          ///< light fences are full fences until somebody decides
  retreating,  ///< light fences are full again, heavy ones still allow for those that were not
  full_fences  ///< both sides are std::atomic_thread_fence(seq_cst)
};

/// Whether light fences are for the compiler alone.
constexpr bool light_fence_is_free(asymmetric_strategy strategy) noexcept {
  return strategy <= asymmetric_strategy::mprotect;
}

namespace asymmetric {

inline constexpr const char* names[] = {"private_expedited", "global_expedited", "global",
                                        "mprotect",          "undecided",        "retreating",
                                        "full_fences"};

}  // namespace asymmetric

/// The name of the enumerator; a string that is always there. "unknown": it is none.
constexpr const char* asymmetric_fence_strategy_name(asymmetric_strategy strategy) noexcept {
  const auto number = static_cast<std::size_t>(strategy);
  return number < std::size(asymmetric::names) ? asymmetric::names[number] : "unknown";
}

namespace asymmetric {

/// The one of that name, of those that can be in force for good; undecided for another name.
constexpr asymmetric_strategy named(std::string_view name) noexcept {
  for (std::size_t n = 0; n != std::size(names); ++n) {
    const auto strategy = static_cast<asymmetric_strategy>(n);
    if (name == names[n] && strategy != asymmetric_strategy::retreating) return strategy;
  }
  return asymmetric_strategy::undecided;
}

}  // namespace asymmetric

}  // namespace fencepost
