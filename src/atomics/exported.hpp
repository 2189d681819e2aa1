// SPDX-License-Identifier: MIT
//
// How a function gets a name that the compiler would take for one of its own.
#pragma once

#include "types.hpp"

/// FENCEPOST_EXPORTED("__atomic_load_4", unsigned, load_4, (const void* object, int order)) { … }
#define FENCEPOST_EXPORTED(symbol, result, function, arguments) \
  extern "C" result function arguments noexcept asm(symbol);    \
  extern "C" [[gnu::visibility("default")]] result function arguments noexcept

namespace fencepost::atomics {

/// What a function returns that gives back a word: callers disagree whether the rest of a register
/// beyond 1 or 2 bytes may be anything, so it is zero.
template <unsigned Size>
struct returned {
  using type = word_of<Size>;
};
template <>
struct returned<1> {
  using type = unsigned;
};
template <>
struct returned<2> {
  using type = unsigned;
};
template <unsigned Size>
using returned_word = typename returned<Size>::type;

}  // namespace fencepost::atomics
