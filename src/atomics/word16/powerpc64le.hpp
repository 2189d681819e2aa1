// SPDX-License-Identifier: MIT
//
// 16 bytes on ppc64le: lq and stq, lqarx and stqcx., which gcc inlines and every processor of this
// architecture has. Loads do not write.
#pragma once

#include "../word.hpp"

namespace fencepost::atomics {

struct word16 : word<16> {
  [[gnu::always_inline]] static word128 guess(const word128* at) noexcept {
    return load<__ATOMIC_RELAXED>(at);
  }
};

}  // namespace fencepost::atomics
