// SPDX-License-Identifier: MIT
//
// Is an object lock-free? This answers as GCC's library does, which programs were built with: an
// object is if it lies within an aligned word of 8 bytes, of 16 on ppc64le; one of no bytes is.
// What needs 16 bytes elsewhere is not, although a processor's instructions serve it: where a load
// may be a compare-exchange, "lock-free" would promise a speed that is not there. LLVM's library
// disagrees about objects of no bytes and about misaligned ones.
#include "exported.hpp"

namespace fencepost::atomics {

FENCEPOST_EXPORTED("__atomic_is_lock_free", int, is_lock_free,
                   (size_t size, const volatile void* object)) {
#if defined(__powerpc64__)
  constexpr size_t widest = 16;
#else
  constexpr size_t widest = 8;
#endif
  return size == 0 ||
         (size <= widest && reinterpret_cast<uintptr_t>(object) % widest + size <= widest);
}

}  // namespace fencepost::atomics
