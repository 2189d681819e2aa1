// SPDX-License-Identifier: MIT
//
// The functions of <stdatomic.h> that the C standard wants as functions: flags and fences.
#include "exported.hpp"
#include "full_fence.hpp"
#include "sized_object.hpp"

namespace fencepost::atomics {
namespace {

// 0 or 1, as this and every compiler leaves them.
using flag = sized_object<1>;

}  // namespace

FENCEPOST_EXPORTED("atomic_flag_test_and_set", int, flag_test_and_set, (volatile void* object)) {
  return flag(object).exchange(1, __ATOMIC_SEQ_CST);
}
FENCEPOST_EXPORTED("atomic_flag_test_and_set_explicit", int, flag_test_and_set_explicit,
                   (volatile void* object, int order)) {
  return flag(object).exchange(1, order);
}
FENCEPOST_EXPORTED("atomic_flag_clear", void, flag_clear, (volatile void* object)) {
  flag(object).store(0, __ATOMIC_SEQ_CST);
}
FENCEPOST_EXPORTED("atomic_flag_clear_explicit", void, flag_clear_explicit,
                   (volatile void* object, int order)) {
  flag(object).store(0, order);
}

FENCEPOST_EXPORTED("atomic_thread_fence", void, thread_fence, (int order)) {
  // All orders but the strongest are numbered from 0 on; what does not exist is the strongest.
  if (static_cast<unsigned>(order) > __ATOMIC_ACQ_REL) [[likely]]
    return full_fence();
#if !defined(__x86_64__)  // where weaker fences are for the compiler alone, which the call is
  if (order == __ATOMIC_ACQ_REL) return __atomic_thread_fence(__ATOMIC_ACQ_REL);
  if (order == __ATOMIC_RELEASE) return __atomic_thread_fence(__ATOMIC_RELEASE);
  if (order != __ATOMIC_RELAXED) return __atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
}

/// The call itself is what the compiler moves nothing across.
FENCEPOST_EXPORTED("atomic_signal_fence", void, signal_fence, (int)) {}

}  // namespace fencepost::atomics
