// SPDX-License-Identifier: MIT
// A ring for many, by one thread, beside a std::deque.
#include <bit>

#include "ring_beside.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::choices input(data, size);
  const std::size_t capacity = 1 + input.below(20);
  using ring = fencepost::mpmc_ring<fuzz::element, fencepost::ring_tuning{.spins = 1}>;
  ring one(capacity);
  fuzz::expect(one.capacity() == std::bit_ceil(capacity));
  fuzz::ring_beside<ring> both(one, input);
  while (input.more()) both.step(input.byte());
  return 0;
}
