// SPDX-License-Identifier: MIT
//
// How much of what lock and unlock of our mutex take is a matter of where their loop lies? MUTEX is
// the class, as one writes it in namespace fencepost.
//
// Prints the nanoseconds of CPU time that one lock() and unlock() took. Arguments: how many.
#include <cstdio>
#include <cstdlib>

#include "../processors.hpp"
#include "fencepost/event_mutex.hpp"
#include "fencepost/futex_mutex.hpp"
#include "fencepost/protocol/asymmetric.hpp"
#include "fencepost/protocol/exchange.hpp"
#include "fencepost/protocol/seq_cst.hpp"

#ifndef MUTEX
#define MUTEX event_mutex<protocol::seq_cst>
#endif

namespace fencepost {

using measured_mutex = MUTEX;

}

alignas(64) static fencepost::measured_mutex lock;

/// What is moved.
extern "C" [[gnu::noinline]] void lock_and_unlock(long count) {
  for (long n = 0; n < count; ++n) {
    lock.lock();
    lock.unlock();
  }
}

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 10'000'000;
  lock_and_unlock(1000);
  const double start = bench::process_cpu_seconds();
  lock_and_unlock(count);
  std::printf("%.6f\n", (bench::process_cpu_seconds() - start) * 1e9 / static_cast<double>(count));
}
