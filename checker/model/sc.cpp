// SPDX-License-Identifier: MIT
// Sequential consistency (Lamport 1979): program order, reads-from, modification order and
// from-read have no cycle together.
#include "model/linearize.hpp"
#include "model/model.hpp"

namespace fencepost::checker {
namespace {

bool buffered(const Event&) { return false; }
bool drains(const Event&) { return true; }

bool consistent(Graph& g) { return linearizable(g, buffered, drains); }

}  // namespace

const Model kSequentialConsistency = {
    "sc",
    consistent,
    "every access takes effect at once and in program order, whatever its order",
    nullptr,
    nullptr,
    false,
    buffered,
    drains};

}  // namespace fencepost::checker
