// SPDX-License-Identifier: MIT
#include <cerrno>

#include "enrolment.hpp"
#include "exports.hpp"
#include "fencepost/asymmetric_fence.hpp"

namespace {

using fencepost::asymmetric_strategy;

fencepost_strategy in_c(asymmetric_strategy strategy) noexcept {
  if (strategy == asymmetric_strategy::mprotect) return FENCEPOST_FENCE_MPROTECT;
  return fencepost::light_fence_is_free(strategy) ? FENCEPOST_FENCE_MEMBARRIER
                                                  : FENCEPOST_FENCE_FULL_FENCES;
}

}  // namespace

void fencepost_fence_light() noexcept { fencepost::asymmetric_thread_fence_light(); }

void fencepost_fence_heavy() noexcept { fencepost::asymmetric_thread_fence_heavy(); }

fencepost_strategy fencepost_fence_strategy() noexcept {
  return in_c(fencepost::asymmetric_fence_strategy());
}

const char* fencepost_fence_strategy_name() noexcept {
  return asymmetric_fence_strategy_name(fencepost::asymmetric_fence_strategy());
}

int fencepost_fence_use(const char* name) noexcept {
  if (name == nullptr) return EINVAL;
  const auto strategy = fencepost::asymmetric::named(name);
  if (strategy == asymmetric_strategy::undecided) return EINVAL;
  return fencepost::use_asymmetric_fence_strategy(strategy) ? 0 : ENOTSUP;
}

fencepost_strategy fencepost_interprocess_strategy() noexcept {
  return in_c(fencepost::interprocess_asymmetric_fence_strategy());
}
