// SPDX-License-Identifier: MIT
// What the results call the kinds of events, orders and objects (docs/lab/results.md lists them).
#pragma once

#include "execution/execution.hpp"
#include "execution/objects.hpp"
#include "graph/event.hpp"
#include "graph/graph.hpp"

namespace fencepost::checker::report {

const char* name(Kind k);
const char* name(Order o);
const char* name(ObjectKind k);
// What the program asked for, and whether it got it ("cas-failed", "mutex-wait").
const char* name(const Event& e);
// What a blocked thread waits for, as the predicate of a sentence about it.
const char* why(const Thread& t);

}  // namespace fencepost::checker::report
