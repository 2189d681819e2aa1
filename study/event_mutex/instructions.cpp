// SPDX-License-Identifier: MIT
//
// What a compiler makes of enter and exit: compiled, disassembled and never run.
#include "fencepost/event_mutex.hpp"

#ifdef FENCEPOST_PROTOCOL_HEADER
#include FENCEPOST_PROTOCOL_HEADER
#else
#define FENCEPOST_PROTOCOL fencepost::protocol::seq_cst
#endif

using mutex = fencepost::event_mutex<FENCEPOST_PROTOCOL>;

extern "C" void enter(mutex& one) { one.lock(); }

extern "C" void leave(mutex& one) { one.unlock(); }
