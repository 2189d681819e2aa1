// SPDX-License-Identifier: MIT
// What a run of the program depends on besides the program: the processor and the libraries, and
// where these lie, for values may point to them. Two computers share a search only if all of that
// is the same on both.
#pragma once

#include "graph/bytes.hpp"

namespace fencepost::checker {

// Has the kernel put everything at the same addresses every time? Asks it to and starts the process
// anew if not; false where that is refused.
bool fix_addresses(char** argv, char** envp);

// Lines of text: `processor …`, and for each library `library …`, where it lies only if asked for.
void describe_host(bool addresses, Bytes* text);

// Compares two texts line by line. Returns the first difference in words, or nullptr.
const char* first_difference(const Bytes& here, const char* there);

}  // namespace fencepost::checker
