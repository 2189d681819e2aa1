// SPDX-License-Identifier: MIT
//
// When a program that uses the C library enrols for barriers between processes: when it asks.
//
// A C++ program that contains a call of the light fence between processes enrols before main(). The
// shared library contains all calls there are, and must not make every program that loads it one
// that others interrupt. So nothing happens before main() here; enrol() does it, from the init
// functions. Until then light fences between processes are full fences, which is always right.
#pragma once

#include "fencepost/asymmetric_fence.hpp"

namespace fencepost {

namespace detail {
template <>
inline constexpr asymmetric_strategy decided_early<interprocess_asymmetric_fence_strategy> =
    asymmetric_strategy::undecided;
}  // namespace detail

inline void enrol() noexcept { static_cast<void>(interprocess_asymmetric_fence_strategy()); }

}  // namespace fencepost
