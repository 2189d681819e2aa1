// SPDX-License-Identifier: MIT
//
// Of a light and a heavy side, one sees the other's store also while somebody puts another strategy
// in force: full fences, from which a light fence of the old kind must be safe, or another of those
// that interrupt.
//
// case: full_fences -DUSED=full_fences
// case: another -DUSED=global_expedited
// case: interprocess -DUSED=full_fences -DINTERPROCESS
#include <cassert>

#include "light_and_heavy_side.hpp"

namespace {

void* change(void*) {
  using fencepost::asymmetric_strategy;
#ifdef INTERPROCESS
  fencepost::use_interprocess_asymmetric_fence_strategy(asymmetric_strategy::USED);
#else
  fencepost::use_asymmetric_fence_strategy(asymmetric_strategy::USED);
#endif
  return nullptr;
}

}  // namespace

int main() {
  pthread_t changing;
  pthread_create(&changing, nullptr, change, nullptr);
  proof::meet();
  pthread_join(changing, nullptr);
  assert(proof::light_saw == 1 || proof::heavy_saw == 1);
  return 0;
}
