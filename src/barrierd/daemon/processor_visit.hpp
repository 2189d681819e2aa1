// SPDX-License-Identifier: MIT
//
// Being once on every processor.
#pragma once

namespace barrierd {

/// Has this thread run on each processor that it may run on, so that the BPF program has seen the
/// idle thread of those that are idle now: it vouches for nobody whom it has not seen. Those that
/// cannot be visited are seen when they next wake up.
void visit_processors();

}  // namespace barrierd
