// SPDX-License-Identifier: MIT
// Streams that a call into the C++ library uses (streams.cpp).
#pragma once

#include "loops/unseen_code.hpp"

namespace fencepost::checker {

// Before the first execution.
void find_streams();
void use_stream(const NotedCall& call);

}  // namespace fencepost::checker
