// SPDX-License-Identifier: MIT
//
// __atomic_feraiseexcept: compilers call it once `x += y` on an atomic floating-point number has
// been done at last, to raise the exceptions of the attempt that succeeded, and of no other. They
// are raised by arithmetic, so that a program which asked for traps gets them. An overflow and an
// underflow come with "inexact", as the C standard allows.
#include <cfenv>
#include <cfloat>

#include "exported.hpp"

namespace fencepost::atomics {
namespace {

/// The compiler knows neither operands nor result.
[[gnu::always_inline]] inline float opaque(float value) noexcept {
  volatile float known_to_nobody = value;
  return known_to_nobody;
}
[[gnu::always_inline]] inline void done(float value) noexcept {
  volatile float result = value;
  (void)result;
}

}  // namespace

FENCEPOST_EXPORTED("__atomic_feraiseexcept", void, raise_exceptions, (int exceptions)) {
  if ((exceptions & FE_INVALID) != 0) done(opaque(0.0F) / opaque(0.0F));
  if ((exceptions & FE_DIVBYZERO) != 0) done(opaque(1.0F) / opaque(0.0F));
  if ((exceptions & FE_OVERFLOW) != 0) done(opaque(FLT_MAX) * opaque(FLT_MAX));
  if ((exceptions & FE_UNDERFLOW) != 0) done(opaque(FLT_MIN) * opaque(FLT_MIN));
  if ((exceptions & FE_INEXACT) != 0) done(opaque(1.0F) / opaque(3.0F));
}

}  // namespace fencepost::atomics
