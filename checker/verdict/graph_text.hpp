// SPDX-License-Identifier: MIT
// An execution graph as JSON: its events in the order of a schedule (schedule.hpp), and each
// location's modification order.
#pragma once

#include "graph/graph.hpp"
#include "verdict/text.hpp"

namespace fencepost::checker::report {

// `whole`: with what happens before each event, and what waits in store buffers.
void add_graph(Text& text, Graph& g, bool whole);

}  // namespace fencepost::checker::report
