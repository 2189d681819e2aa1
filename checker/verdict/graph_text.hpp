// SPDX-License-Identifier: MIT
// An execution graph as JSON: its events in one order, and each location's modification order.
#pragma once

#include "graph/graph.hpp"
#include "verdict/text.hpp"

namespace fencepost::checker::report {

void add_graph(Text& text, Graph& g);

}  // namespace fencepost::checker::report
