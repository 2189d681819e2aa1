// SPDX-License-Identifier: MIT
// What is still to be explored, for another process or for later.
#pragma once

#include <cstdint>

#include "graph/bytes.hpp"

namespace fencepost::checker {

// With what they depend on: Explorer's write and read.
void write_alternatives(Bytes* out, std::uint32_t count);
// The execution that has just ended, to be read as one alternative.
void write_execution(Bytes* out);
bool read_alternatives(BytesIn* in);

}  // namespace fencepost::checker
