// SPDX-License-Identifier: MIT
//
// Stops the compilation with one error where the compiler does not read C++20. Every public header
// includes it before anything else.
//
// A header that cannot be found is what gcc and clang stop at. After an error directive they go on,
// with hundreds of errors about what follows.
#pragma once

#if !defined(__cplusplus)
#include <Fencepost: this is a C++ header, in C include fencepost/fencepost.h>
#elif __cplusplus < 202002L
#include <Fencepost needs C++20: compile with -std=c++20>
#endif
