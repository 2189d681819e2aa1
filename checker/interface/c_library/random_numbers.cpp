// SPDX-License-Identifier: MIT
// Random numbers: fixed sequences, so that an execution can be repeated.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>

#include "execution/execution.hpp"
#include "graph/state_section.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/threads/threads.hpp"
#include "sync/joining.hpp"

namespace checker = fencepost::checker;
using checker::execution;

namespace {

FENCEPOST_CHECKER_STATE constinit std::uint32_t drawn_before_main = 0;

// The next of the system's own random numbers: threads have different ones, as they would.
std::uint32_t system_number(std::uint64_t pc) {
  std::uint64_t x = checker::own_number(pc);
  if (checker::exploring()) {
    x = (x + 1) << 32 | execution.current->drawn++;
    execution.current->effect();
  } else {
    x = drawn_before_main++;
  }
  // The finalizer of SplitMix64 (Steele, Lea and Flood 2014).
  x = (x + 0x9E3779B97F4A7C15) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return static_cast<std::uint32_t>(x >> 32);
}

void fill(void* buffer, std::size_t n, std::uint64_t pc) {
  checker::writes(buffer, n, pc);
  auto* to = static_cast<char*>(buffer);
  while (n != 0) {
    const std::uint32_t number = system_number(pc);
    const std::size_t bytes = std::min(n, sizeof number);
    memcpy(to, &number, bytes);
    to += bytes;
    n -= bytes;
  }
}

void draws_by_rand(std::uint32_t next) {
  execution.current->random = next;
  execution.current->effect();
  if (checker::beside_others()) execution.counters.own_random_numbers = 1;
}

// Of 32 bits. A sequence for each thread, that of srand(1) where nobody has chosen another.
std::uint32_t next_of_rand() {
  constexpr std::uint32_t kFirst = 1;
  if (!checker::exploring()) return kFirst << 1;
  const std::uint32_t state = (execution.current->random ^ kFirst) * 1103515245U + 12345U;
  draws_by_rand(state ^ kFirst);
  return state;
}

}  // namespace

extern "C" {

int rand() noexcept { return static_cast<int>(next_of_rand() >> 1); }
void srand(unsigned seed) noexcept {
  if (checker::exploring()) draws_by_rand(seed ^ 1);
}
long random() noexcept { return rand(); }
void srandom(unsigned seed) noexcept { srand(seed); }
double drand48() noexcept { return next_of_rand() / 4294967296.0; }
long lrand48() noexcept { return rand(); }
long mrand48() noexcept { return static_cast<std::int32_t>(next_of_rand()); }
void srand48(long seed) noexcept { srand(static_cast<unsigned>(seed)); }

ssize_t getrandom(void* buffer, size_t n, unsigned flags) {
  if ((flags & ~(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE)) != 0) {
    errno = EINVAL;
    return -1;
  }
  constexpr std::size_t kMost = 0x1FFFFFF;  // that the kernel gives at a time
  n = std::min(n, kMost);
  fill(buffer, n, FENCEPOST_PC());
  return static_cast<ssize_t>(n);
}
int getentropy(void* buffer, size_t n) {
  if (n > 256) {
    errno = EIO;
    return -1;
  }
  fill(buffer, n, FENCEPOST_PC());
  return 0;
}

// In the C library since glibc 2.36.
std::uint32_t arc4random() noexcept { return system_number(FENCEPOST_PC()); }
void arc4random_buf(void* buffer, size_t n) noexcept { fill(buffer, n, FENCEPOST_PC()); }
std::uint32_t arc4random_uniform(std::uint32_t bound) noexcept {
  const std::uint64_t number = system_number(FENCEPOST_PC());
  return static_cast<std::uint32_t>(number * bound >> 32);
}

}  // extern "C"

namespace std {

// A device has nothing of its own. To draw from it changes it, as far as the standard says: two
// threads that draw at once race.
void random_device::_M_init(const string& token) {
  for (const char* known : {"default", "rdseed", "rdrand", "rdrnd", "hw", "arc4random",
                            "getentropy", "/dev/urandom", "/dev/random"}) {
    if (token == known) return;
  }
  throw runtime_error("random_device::random_device(const std::string&): unsupported token");
}
void random_device::_M_fini() {}
random_device::result_type random_device::_M_getval() {
  checker::writes(this, 1, FENCEPOST_PC());
  return system_number(FENCEPOST_PC());
}
double random_device::_M_getentropy() const noexcept { return 32; }

}  // namespace std
