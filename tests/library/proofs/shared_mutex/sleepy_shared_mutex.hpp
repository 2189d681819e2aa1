// SPDX-License-Identifier: MIT
//
// The shipped shared_mutex without its spinning, which is a matter of speed and multiplies
// executions.
#pragma once

#include "fencepost/shared_mutex.hpp"

constexpr fencepost::shared_mutex_tuning sleepy{
    .pausing_rounds = 0, .yielding_rounds = 0, .catch_misuse = true};
using sleepy_shared_mutex = fencepost::basic_shared_mutex<fencepost::futex::scope::process, sleepy>;
