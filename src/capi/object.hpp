// SPDX-License-Identifier: MIT
//
// The C++ object that a C struct holds.
//
// The struct is as large as the object or larger, as aligned or more, and its flags stand behind
// it. A struct that was initialised statically was never constructed as the C++ object: that its
// bytes are those of a constructed one is tested, and the library is compiled so that the compiler
// draws no conclusion from types (-fno-strict-aliasing).
#pragma once

#include <cerrno>
#include <cstddef>
#include <new>

#include "exports.hpp"
#include "fencepost/futex.hpp"

namespace fencepost {

/// The object at the beginning of `in`, up to `end`, the offset of what follows it.
template <class Object, std::size_t end, class Struct>
Object& object(Struct* in) noexcept {
  static_assert(sizeof(Object) <= end, "the C struct has no room for the C++ object");
  static_assert(alignof(Object) <= alignof(Struct), "the C struct is aligned too loosely");
  return *std::launder(reinterpret_cast<Object*>(in));
}

/// Whether `flags` are all among `known`.
constexpr bool known(unsigned flags, unsigned known) noexcept { return (flags & ~known) == 0; }

}  // namespace fencepost
