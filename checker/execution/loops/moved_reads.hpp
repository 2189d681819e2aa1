// SPDX-License-Identifier: MIT
// Reads that could as well have read another write: moved_reads.cpp.
#pragma once

#include "graph/event.hpp"

namespace fencepost::checker {

// Is there the execution in which the read, from whose value nothing else follows, reads the write
// `other` of its location, with all other reads and the modification orders as they are?
bool could_read(EventId read, EventId other);

}  // namespace fencepost::checker
