// SPDX-License-Identifier: MIT
//
// __atomic_thread_fence(__ATOMIC_SEQ_CST), and on x86-64 the cheapest of those: an instruction with
// lock is a full barrier, and cheaper than mfence. Not on top of the stack, where gcc has it: that
// may be where this returns to, and the processor would have to wait for it.
#pragma once

namespace fencepost::atomics {

[[gnu::always_inline]] inline void full_fence() noexcept {
#if defined(__x86_64__)
  asm volatile("lock orl $0, -8(%%rsp)" ::: "cc", "memory");
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

}  // namespace fencepost::atomics
