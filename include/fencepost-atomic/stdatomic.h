/* SPDX-License-Identifier: MIT */
/*
 * <stdatomic.h> for compilers that lack one, and for those that do not lack it.
 *
 *   _Atomic(int) count = ATOMIC_VAR_INIT(0);
 *   atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
 *
 * One source compiles everywhere: atomic objects are declared as _Atomic(TYPE), get their first
 * value from ATOMIC_VAR_INIT or atomic_init, and are touched by the functions below alone. What
 * each compiler offers decides how that is done; FENCEPOST_ATOMIC_SUPPORT says so, and a program
 * that defines it before (-DFENCEPOST_ATOMIC_SUPPORT=1) has its way:
 *
 *   3  full     the keyword _Atomic and the functions __atomic_*: gcc 4.9, clang 3.6 and later
 *   2  partial  the functions __atomic_* alone, with every order: gcc 4.7 and 4.8, clang 3.2
 * to 3.5. _Atomic(TYPE) is emulated 1  basic    the functions __sync_* alone: older ones. Also
 * emulated; read-modify-writes are full barriers whatever order was asked for
 *
 * An emulated object has the size and the alignment that the same compiler gives to its own, so
 * that object files compiled with different support share objects. What no instruction serves is
 * served by libfencepost_atomic (or libatomic) at each of them.
 *
 * Refused while compiling, at each of them and with the reason in the message: pointers to objects
 * that are not atomic, changes of constants, values of a type that does not fit, an order that the
 * operation cannot have (where it is a constant), arithmetic on bool, on pointers (gcc's own header
 * counts bytes there, clang's elements) and on floating-point numbers. Where _Atomic is emulated,
 * so are assignments to an atomic object and reading it as if it was none; docs/library/atomics.md
 * names what passes all the same.
 *
 * In C++ this is what C++23 makes of <stdatomic.h>, from C++11 on: the names of <atomic>.
 *
 * Included are <stddef.h> and <stdint.h>, which every compiler brings with it: no C library is
 * needed. In C++ it is <atomic>.
 */
#pragma once

#if defined(__cplusplus)
#include "fencepost_atomic/cplusplus.h"
#else
#include "fencepost_atomic/lock_free.h"
#include "fencepost_atomic/orders.h"
#include "fencepost_atomic/refusals.h"
#include "fencepost_atomic/support.h"
#if FENCEPOST_ATOMIC_SUPPORT == FENCEPOST_ATOMIC_FULL
#include "fencepost_atomic/qualified.h"
#else
#include "fencepost_atomic/emulated.h"
#endif
#if FENCEPOST_ATOMIC_SUPPORT == FENCEPOST_ATOMIC_BASIC
#include "fencepost_atomic/with_sync.h"
#else
#include "fencepost_atomic/with_atomic.h"
#endif
#include "fencepost_atomic/flag_and_fences.h"
#include "fencepost_atomic/operations.h"
#include "fencepost_atomic/types.h"
#endif
