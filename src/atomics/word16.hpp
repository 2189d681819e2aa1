// SPDX-License-Identifier: MIT
//
// 16 bytes in one piece, by the processor's own instructions wherever it has some: compilers inline
// those too, and an object that some lock and others do not is not atomic. Which instructions, each
// file of word16/ says for its architecture; the functions are those of word.hpp.
#pragma once

#if defined(__x86_64__)
#include "word16/x86_64.hpp"
#elif defined(__aarch64__)
#include "word16/aarch64.hpp"
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#include "word16/powerpc64le.hpp"
#else
#include "word16/none.hpp"
#endif
