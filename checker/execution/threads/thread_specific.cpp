// SPDX-License-Identifier: MIT
#include "execution/threads/thread_specific.hpp"

#include "graph/state_section.hpp"

namespace fencepost::checker {

FENCEPOST_CHECKER_STATE constinit ThreadSpecific thread_specific;

void ThreadSpecific::OfThread::clear() {
  values.clear();
  destructors.clear();
  cancel_state = 0;
  cancel_type = 0;
  blocked_signals = 0;
}

void ThreadSpecific::OfThread::assign(const OfThread& other) {
  values.assign(other.values.data(), other.values.size());
  destructors.assign(other.destructors.data(), other.destructors.size());
  cancel_state = other.cancel_state;
  cancel_type = other.cancel_type;
  blocked_signals = other.blocked_signals;
}

void ThreadSpecific::thread_begins(unsigned id) {
  if (id == 0) return resume(startup_);
  if (!is_used(id)) return;
  of_[id].clear();
  in_use_ &= ~(std::uint64_t{1} << id);
}

void ThreadSpecific::forget_values(unsigned key) {
  for (OfThread& thread : of_) {
    if (key < thread.values.size()) thread.values[key] = nullptr;
  }
}

void ThreadSpecific::keep(Kept* kept) const {
  kept->keys.assign(keys.data(), keys.size());
  kept->actions.assign(actions.data(), actions.size());
  kept->main.assign(of(0));
}

void ThreadSpecific::resume(const Kept& kept) {
  keys.assign(kept.keys.data(), kept.keys.size());
  actions.assign(kept.actions.data(), kept.actions.size());
  use(0).assign(kept.main);
}

}  // namespace fencepost::checker
