// SPDX-License-Identifier: MIT
//
// One lock of the kind that lock_and_unlock.cpp is compiled with, taken and released.
#pragma once

extern "C" {
void bench_lock(void* lock) noexcept;
void bench_unlock(void* lock) noexcept;
/// A lock that nobody has.
void* bench_free_lock() noexcept;
}
