// SPDX-License-Identifier: MIT
// A read-write lock is several words (sync/locks/read_write_locks.cpp), each with an order of its
// own. Those who take it and let it go are in one order with that, up to what nobody can tell. But
// who tries in vain sees that some have come and others have not, and so puts these into an order;
// and the standards promise one order of all that is done to a lock, in which what happens before
// also comes before. Is there one?
//
// Who only waits is not asked: he will look again.
#pragma once

#include "graph/graph.hpp"

namespace fencepost::checker {

// Adding what is newest changes nothing about it, and taking events away does not either.
bool locks_are_ordered(Graph& g);

}  // namespace fencepost::checker
