// SPDX-License-Identifier: MIT
// What a search is of: the same program, with the same arguments and libraries, explored under the
// same rules by the same version of the checker. Only then are one's subtrees the other's.
#pragma once

#include "execution/options.hpp"
#include "graph/bytes.hpp"

namespace fencepost::checker {

// Three lines of text, without the last one's end: `version …`, `program …`, `rules …`. Nothing if
// the executable cannot be read.
void identify(const Options& options, int argc, char** argv, Bytes* text);

}  // namespace fencepost::checker
