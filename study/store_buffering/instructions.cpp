// SPDX-License-Identifier: MIT
//
// What a compiler makes of the two sides of the demonstration: compiled, disassembled and never
// run.
#ifdef FENCEPOST_PROTOCOL_HEADER
#include FENCEPOST_PROTOCOL_HEADER
#else
#include "store_buffering/demonstration.hpp"
#define FENCEPOST_PROTOCOL fencepost::study::store_buffering::demonstration
#endif

using shape = FENCEPOST_PROTOCOL;

extern "C" bool side_a(shape& both) { return both.y_seen_by_a(); }

extern "C" bool side_b(shape& both) { return both.x_seen_by_b(); }
