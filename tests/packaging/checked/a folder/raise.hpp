// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>

#ifdef RELAXED
inline constexpr auto order = std::memory_order_relaxed;
#else
inline constexpr auto order = std::memory_order_seq_cst;
#endif

// Raises one's own flag and tells whether the other one's is up.
bool raise(std::atomic<int>& own, const std::atomic<int>& other);
