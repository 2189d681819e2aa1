/* SPDX-License-Identifier: MIT */
/* Included before every file that gcc compiles for the checker. Headers of the C++ library call
   __builtin_memmove and its kin, which gcc makes a few instructions of that nobody announces. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

void* fencepost_memcpy(void*, const void*, __SIZE_TYPE__) __attribute__((nothrow));
void* fencepost_memmove(void*, const void*, __SIZE_TYPE__) __attribute__((nothrow));
void* fencepost_memset(void*, int, __SIZE_TYPE__) __attribute__((nothrow));
int fencepost_memcmp(const void*, const void*, __SIZE_TYPE__) __attribute__((nothrow, pure));

#ifdef __cplusplus
}
#endif

#define __builtin_memcpy(...) fencepost_memcpy(__VA_ARGS__)
#define __builtin_memmove(...) fencepost_memmove(__VA_ARGS__)
#define __builtin_memset(...) fencepost_memset(__VA_ARGS__)
#define __builtin_memcmp(...) fencepost_memcmp(__VA_ARGS__)
