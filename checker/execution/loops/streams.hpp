// SPDX-License-Identifier: MIT
// Streams that a call into the C++ library uses (streams.cpp).
#pragma once

#include "execution/loops/unseen_code.hpp"

namespace fencepost::checker {

// std::ios_base::sync_with_stdio. It is put back as the program's variables are.
extern bool streams_are_synchronised;

// Before the first execution.
void find_streams();
void use_stream(const NotedCall& call);

}  // namespace fencepost::checker
