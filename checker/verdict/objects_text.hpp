// SPDX-License-Identifier: MIT
// Which blocks of the heap and local variables lie where an execution's accesses and pointers go.
#pragma once

#include "execution/violation.hpp"
#include "graph/graph.hpp"
#include "verdict/text.hpp"

namespace fencepost::checker::report {

// Of the violation at hand, each once, with the code that allocated or declared it.
void add_objects(Text& text, Graph& g, const Violation& v);

}  // namespace fencepost::checker::report
