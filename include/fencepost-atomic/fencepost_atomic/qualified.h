/* SPDX-License-Identifier: MIT */
/*
 * Atomic objects of a compiler that knows _Atomic.
 *
 * The keyword is an extension before C11, and the compilers say so where they are asked to be
 * pedantic. clang does not within __extension__, and gcc not where the keyword comes from a header
 * of the system: this file is one, and has nothing else in it.
 */
#pragma once
#pragma GCC system_header

#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
#if defined(__clang__)
#define _Atomic(type) __typeof__(*__extension__(_Atomic(type)*) 0)
#else
#define _Atomic(type) _Atomic(type)
#endif
#endif

/* The first value of an object, where it is declared. */
#define ATOMIC_VAR_INIT(value) (value)

/* The type of what the object holds that `pointer` points to. */
#define FENCEPOST_ATOMIC_HELD(pointer) __typeof__((void)0, *(pointer))
