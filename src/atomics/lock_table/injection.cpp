// SPDX-License-Identifier: MIT
//
// What a program gets that defines no atomic_inject() of its own.
#include "injection.hpp"

#if defined(FENCEPOST_ATOMIC_INJECT)
extern "C" {
[[gnu::weak]] __thread bool atomic_faulty = false;
[[gnu::weak]] void atomic_inject() {}
}
#endif
