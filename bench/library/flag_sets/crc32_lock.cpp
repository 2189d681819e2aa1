// SPDX-License-Identifier: MIT
//
// To be compiled with FLAGS_NAME, an identifier, for each set of flags that the lock is for.
#include "crc32_lock.hpp"

#include "fencepost/detail/pause.hpp"

namespace {

/// As in "ARM's LSE (for atomics) and MySQL", 4 August 2020: compare-exchange until it succeeds,
/// byte-wide. A pause between two tries.
void lock(std::atomic<bool>& taken) {
  for (bool expected = false; !taken.compare_exchange_strong(expected, true); expected = false)
    fencepost::detail::pause();
}

void unlock(std::atomic<bool>& taken) {
  // seq_cst as there; what was written is not of interest.
  taken.store(false);
}

}  // namespace

#define NAMED(name) spin_##name
#define SPIN(name) NAMED(name)

extern const bench::spin_functions SPIN(FLAGS_NAME);
const bench::spin_functions SPIN(FLAGS_NAME){lock, unlock};
