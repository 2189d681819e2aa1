// SPDX-License-Identifier: MIT
//
// The same as store_buffering where the kernel has no membarrier, so that both sides are full
// fences. Between processes the heavy side says so.
//
// options: --no-membarrier
// case: process
// case: interprocess -DINTERPROCESS
#include <cassert>

#include "light_and_heavy_side.hpp"

int main() {
  proof::meet();
  assert(fencepost::asymmetric_fence_strategy() == fencepost::asymmetric_strategy::full_fences);
#ifdef INTERPROCESS
  assert(!proof::reached);
#endif
  assert(proof::light_saw == 1 || proof::heavy_saw == 1);
  return 0;
}
