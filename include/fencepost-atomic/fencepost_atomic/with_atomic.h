/* SPDX-License-Identifier: MIT */
/*
 * The operations by the functions __atomic_*, for objects of any type and size. The compiler
 * inlines them or calls the library. They take an order as an int.
 */
#pragma once

#define FENCEPOST_ATOMIC_LOAD(at, result, order) __atomic_load(at, result, (int)(order))
#define FENCEPOST_ATOMIC_STORE(at, value, order) __atomic_store(at, value, (int)(order))
#define FENCEPOST_ATOMIC_EXCHANGE(at, value, result, order) \
  __atomic_exchange(at, value, result, (int)(order))
#define FENCEPOST_ATOMIC_COMPARE_EXCHANGE(at, expected, value, weak, success, failure) \
  __atomic_compare_exchange(at, expected, value, weak, (int)(success), (int)(failure))
#define FENCEPOST_ATOMIC_FETCH(name, operator, at, value, order) \
  __atomic_fetch_##name(at, value, (int)(order))
#define FENCEPOST_ATOMIC_IS_LOCK_FREE(at) \
  __atomic_is_lock_free(sizeof *(at), (const volatile void*)(at))

#define FENCEPOST_ATOMIC_TEST_AND_SET(at, order) __atomic_test_and_set(at, (int)(order))
#define FENCEPOST_ATOMIC_CLEAR(at, order) __atomic_clear(at, (int)(order))
#define FENCEPOST_ATOMIC_THREAD_FENCE(order) __atomic_thread_fence((int)(order))
#define FENCEPOST_ATOMIC_SIGNAL_FENCE(order) __atomic_signal_fence((int)(order))
