// SPDX-License-Identifier: MIT
//
// The lock that this build of the library puts into every mutex: locks.cmake names header and type.
#pragma once

#include FENCEPOST_PRELOADED_HEADER
#ifdef FENCEPOST_PRELOADED_PROTOCOL
#include FENCEPOST_PRELOADED_PROTOCOL
#endif
#ifdef FENCEPOST_PRELOADED_TRY_LOCK
#include FENCEPOST_PRELOADED_TRY_LOCK
#endif

namespace fencepost::preload {

using chosen_lock = FENCEPOST_PRELOADED;

}  // namespace fencepost::preload
