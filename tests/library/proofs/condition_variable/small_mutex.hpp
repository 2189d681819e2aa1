// SPDX-License-Identifier: MIT
//
// A mutex with as few steps as possible, so that the executions explored are the condition
// variable's own. The checker knows std::mutex and takes lock() for one step.
#pragma once

#include <mutex>

#include "fencepost/condition_variable.hpp"

using small_mutex = std::mutex;
using condition_variable =
    fencepost::basic_condition_variable<fencepost::futex::scope::process, true>;
