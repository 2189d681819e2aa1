// SPDX-License-Identifier: MIT
#pragma once

#include "verdict/text.hpp"

namespace fencepost::checker::report {

// The violation that the verdict will show, as it is written into the result; empty if there is
// none.
const Text& kept_violation();

}  // namespace fencepost::checker::report
