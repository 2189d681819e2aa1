// SPDX-License-Identifier: MIT
#include "enrolment.hpp"
#include "exports.hpp"
#include "fencepost/asymmetric_fence.hpp"

namespace {

fencepost_strategy in_c(fencepost::asymmetric_strategy strategy) noexcept {
  return strategy == fencepost::asymmetric_strategy::membarrier ? FENCEPOST_FENCE_MEMBARRIER
                                                                : FENCEPOST_FENCE_FULL_FENCES;
}

}  // namespace

void fencepost_fence_light() noexcept { fencepost::asymmetric_thread_fence_light(); }

void fencepost_fence_heavy() noexcept { fencepost::asymmetric_thread_fence_heavy(); }

fencepost_strategy fencepost_fence_strategy() noexcept {
  return in_c(fencepost::asymmetric_fence_strategy());
}

fencepost_strategy fencepost_interprocess_strategy() noexcept {
  return in_c(fencepost::interprocess_asymmetric_fence_strategy());
}
