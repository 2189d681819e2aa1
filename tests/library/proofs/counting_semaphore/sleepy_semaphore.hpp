// SPDX-License-Identifier: MIT
//
// The shipped semaphore without its spinning, which is a matter of speed and multiplies executions.
#pragma once

#include "fencepost/counting_semaphore.hpp"

constexpr fencepost::semaphore_tuning sleepy{
    .pausing_rounds = 0, .yielding_rounds = 0, .catch_misuse = true};
using sleepy_semaphore =
    fencepost::basic_counting_semaphore<2, fencepost::futex::scope::process, sleepy>;
