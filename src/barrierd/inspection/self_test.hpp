// SPDX-License-Identifier: MIT
#pragma once

#include "arguments.hpp"

namespace barrierd {

/// Tries the clock of the directory, says what it found, and returns 0 if all is well.
int self_test(const arguments& chosen);

}  // namespace barrierd
