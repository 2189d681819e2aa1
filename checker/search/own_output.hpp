// SPDX-License-Identifier: MIT
// What the program itself writes to its standard output and error. Nobody reads it, for it would
// come once for every execution; but that of a counterexample is kept while it is run once more.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/bytes.hpp"

namespace fencepost::checker::own_output {

// Opens what is needed, while files may still be opened.
void prepare();
// From now on it goes nowhere. The descriptor that results go to is kept out of its way.
void discard(int* results);

void begin_to_keep();
void end_to_keep();
// Between the two: what is modelled has to be written all the same.
bool is_kept();

// The end of what was kept last, and how much was before that.
constexpr std::size_t kMostKept = 8192;
const Bytes& kept();
std::uint64_t left_out();
void forget();

}  // namespace fencepost::checker::own_output
