// SPDX-License-Identifier: MIT
//
// Of a thread with a light fence between its store and its load, and one with a heavy fence, one
// sees the other's store.
//
// case: process
// case: interprocess -DINTERPROCESS
#include <cassert>

#include "light_and_heavy_side.hpp"

int main() {
  proof::meet();
  assert(proof::reached);
  assert(proof::light_saw == 1 || proof::heavy_saw == 1);
  return 0;
}
