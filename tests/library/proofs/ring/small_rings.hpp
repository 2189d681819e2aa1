// SPDX-License-Identifier: MIT
//
// Rings as the proofs use them: nobody spins before going to sleep, for each look would multiply
// the executions, and misuse is not looked for.
#pragma once

#include <cstddef>

#include "fencepost/ring.hpp"

constexpr fencepost::ring_tuning sleepy{.blocking = true, .spins = 0, .catch_misuse = false};
constexpr fencepost::ring_tuning never_waiting{
    .blocking = false, .spins = 0, .catch_misuse = false};

template <class T, std::size_t Capacity>
using spsc = fencepost::inline_spsc_ring<T, Capacity, sleepy>;
template <class T, std::size_t Capacity>
using interprocess_spsc = fencepost::interprocess_spsc_ring<T, Capacity, sleepy>;
template <class T, std::size_t Capacity>
using mpmc = fencepost::inline_mpmc_ring<T, Capacity, sleepy>;
template <class T, std::size_t Capacity>
using interprocess_mpmc = fencepost::interprocess_mpmc_ring<T, Capacity, sleepy>;
