// SPDX-License-Identifier: MIT
// Where the checker keeps its own variables.
//
// The globals of the program under test are put back before every execution. The checker lives in
// the same executable, so every variable of its own stands in one section that is left alone.
#pragma once

#define FENCEPOST_CHECKER_STATE __attribute__((section("fencepost_checker_state")))
