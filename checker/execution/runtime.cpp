// SPDX-License-Identifier: MIT
// The one runtime of a process.
#include "execution/runtime.hpp"

#include <signal.h>

#include "graph/state_section.hpp"
#include "machine/kernel.hpp"
#include "search/signals.hpp"

namespace fencepost::checker {

FENCEPOST_CHECKER_STATE constinit Runtime runtime;

double Runtime::seconds() const { return kernel::seconds() - started_; }

void Runtime::initialise(const Options& wanted) {
  options = wanted;
  // By what they have freed, threads differ.
  if (options.symmetry) options.reuse_of = Reuse::never;
  started_ = kernel::seconds();
  explorer.use(options.model, options.symmetry);
  own_thread_pointer_ = thread_pointer();
  objects_.push_back({0, 0, ObjectKind::atomic});
  snapshot.find();
  shadow.initialise(snapshot.data_begin(), snapshot.data_end());
  install_signals();
  start_ticking();
}

// Signals that ask to stop are the business of the process that it works for.
void Runtime::prepare_worker() {
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  start_ticking();
}

}  // namespace fencepost::checker
