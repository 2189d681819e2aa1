/* SPDX-License-Identifier: MIT */
/*
 * What the compiler offers: FENCEPOST_ATOMIC_SUPPORT, unless the program has defined it.
 */
#pragma once

#define FENCEPOST_ATOMIC_FULL 3
#define FENCEPOST_ATOMIC_PARTIAL 2
#define FENCEPOST_ATOMIC_BASIC 1

#if !defined(FENCEPOST_ATOMIC_SUPPORT)
#if defined(__clang__)
#if __clang_major__ * 100 + __clang_minor__ >= 306
#define FENCEPOST_ATOMIC_SUPPORT FENCEPOST_ATOMIC_FULL
#endif
#elif defined(__GNUC__) && !defined(__STDC_NO_ATOMICS__)
#if __GNUC__ * 100 + __GNUC_MINOR__ >= 409
#define FENCEPOST_ATOMIC_SUPPORT FENCEPOST_ATOMIC_FULL
#endif
#endif
#if defined(FENCEPOST_ATOMIC_SUPPORT)
#elif defined(__ATOMIC_SEQ_CST)
#define FENCEPOST_ATOMIC_SUPPORT FENCEPOST_ATOMIC_PARTIAL
#else
#define FENCEPOST_ATOMIC_SUPPORT FENCEPOST_ATOMIC_BASIC
#endif
#endif

#if FENCEPOST_ATOMIC_SUPPORT < FENCEPOST_ATOMIC_BASIC || \
    FENCEPOST_ATOMIC_SUPPORT > FENCEPOST_ATOMIC_FULL
#error "FENCEPOST_ATOMIC_SUPPORT is 1 (basic), 2 (partial) or 3 (full)"
#endif
#if FENCEPOST_ATOMIC_SUPPORT == FENCEPOST_ATOMIC_BASIC && \
    !defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_4) && !defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_8)
#error "this compiler has neither the functions __atomic_* nor __sync_*"
#endif
