// SPDX-License-Identifier: MIT
//
// The shipped mutex without its spinning, which is a matter of speed and multiplies executions.
#pragma once

#include "fencepost/mutex.hpp"

constexpr fencepost::mutex_tuning sleepy{.pausing_rounds = 0,
                                         .yielding_rounds = 0,
                                         .overtakes = 0,
                                         .patience = 1,
                                         .deference = 0,
                                         .catch_misuse = true};
using sleepy_mutex =
    fencepost::basic_mutex<fencepost::unobserved, fencepost::futex::scope::process, sleepy>;
