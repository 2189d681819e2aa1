// SPDX-License-Identifier: MIT
// Streams that a call into the C++ library uses (streams.cpp).
#pragma once

#include <cstddef>

#include "execution/loops/unseen_code.hpp"

namespace fencepost::checker {

// std::ios_base::sync_with_stdio. It is put back as the program's variables are.
extern bool streams_are_synchronised;

// Before the first execution.
void find_streams();
void use_stream(const NotedCall& call);

struct StandardStreams {
  struct Stream {
    const void* address;
    std::size_t size;
  };
  Stream all[8];
};

}  // namespace fencepost::checker

// Of a program that may have C++ in it (standard_streams.cpp).
extern "C" [[gnu::weak]] const fencepost::checker::StandardStreams fencepost_standard_streams;
