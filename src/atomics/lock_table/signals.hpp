// SPDX-License-Identifier: MIT
//
// All signals of the calling thread blocked, for as long as an object lives.
#pragma once

#include <signal.h>
#include <sys/syscall.h>

#include <cstdint>

#include "fencepost/detail/kernel.hpp"

namespace fencepost::atomics {

/// The kernel's signal set; the C library's may be larger.
using signal_set = std::uint64_t;

inline signal_set block_signals() noexcept {
  const signal_set all = ~signal_set{0};
  signal_set before = 0;
  kernel::call(SYS_rt_sigprocmask, long{SIG_BLOCK}, &all, &before, sizeof all);
  return before;
}
inline void restore_signals(const signal_set& before) noexcept {
  kernel::call(SYS_rt_sigprocmask, long{SIG_SETMASK}, &before, nullptr, sizeof before);
}

#if defined(FENCEPOST_ATOMIC_BLOCK_SIGNALS)
class signals_blocked {
 public:
  signals_blocked() noexcept : before_(block_signals()) {}
  ~signals_blocked() { restore_signals(before_); }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;

 private:
  signal_set before_;
};
#else
struct signals_blocked {};
#endif

}  // namespace fencepost::atomics
