// SPDX-License-Identifier: MIT
//
// Included in the place of GCC's own where musl.cmake builds: that one describes the C++ library
// that was made for glibc. What is described here has no C library below it and no threads.
#pragma once

#include_next <bits/c++config.h>

#undef _GLIBCXX_HOSTED
#define _GLIBCXX_HOSTED 0
#undef _GLIBCXX_HAS_GTHREADS
#undef _GLIBCXX_HAVE_LINUX_FUTEX
#undef _GLIBCXX_USE_PTHREAD_COND_CLOCKWAIT
