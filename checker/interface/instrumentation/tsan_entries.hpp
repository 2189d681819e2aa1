// SPDX-License-Identifier: MIT
// Which entry points look for repeated states. To be included once, by the file of a processor,
// which says how one is made: FENCEPOST_ENTRY_TO(symbol, target).
#pragma once

#define FENCEPOST_ENTRY(symbol) FENCEPOST_ENTRY_TO(symbol, fencepost_##symbol)

#define FENCEPOST_ACCESS(bits, operation)                         \
  FENCEPOST_ENTRY_TO(fencepost_saving_atomic##bits##_##operation, \
                     fencepost_atomic##bits##_##operation)

// The functions of these names pass what the graph has, and come here otherwise (tsan.cpp).
#define FENCEPOST_ENTRIES(bits)                    \
  FENCEPOST_ACCESS(bits, load);                    \
  FENCEPOST_ACCESS(bits, exchange);                \
  FENCEPOST_ACCESS(bits, fetch_add);               \
  FENCEPOST_ACCESS(bits, fetch_sub);               \
  FENCEPOST_ACCESS(bits, fetch_and);               \
  FENCEPOST_ACCESS(bits, fetch_or);                \
  FENCEPOST_ACCESS(bits, fetch_xor);               \
  FENCEPOST_ACCESS(bits, fetch_nand);              \
  FENCEPOST_ACCESS(bits, compare_exchange_strong); \
  FENCEPOST_ACCESS(bits, compare_exchange_weak);   \
  FENCEPOST_ACCESS(bits, compare_exchange_val)

FENCEPOST_ENTRIES(8);
FENCEPOST_ENTRIES(16);
FENCEPOST_ENTRIES(32);
FENCEPOST_ENTRIES(64);
FENCEPOST_ENTRIES(128);
FENCEPOST_ENTRY(pthread_mutex_trylock);
FENCEPOST_ENTRY(mtx_trylock);
FENCEPOST_ENTRY(pthread_mutex_lock);
FENCEPOST_ENTRY(mtx_lock);
FENCEPOST_ENTRY(pthread_spin_lock);
FENCEPOST_ENTRY(pthread_spin_trylock);
FENCEPOST_ENTRY(pthread_rwlock_rdlock);
FENCEPOST_ENTRY(pthread_rwlock_tryrdlock);
FENCEPOST_ENTRY(pthread_rwlock_wrlock);
FENCEPOST_ENTRY(pthread_rwlock_trywrlock);
FENCEPOST_ENTRY(sem_trywait);
FENCEPOST_ENTRY(sem_getvalue);
// sized_atomics.cpp
FENCEPOST_ENTRY(__atomic_is_lock_free);
FENCEPOST_ENTRY(__atomic_load);
FENCEPOST_ENTRY(__atomic_store);
FENCEPOST_ENTRY(__atomic_store_16);
FENCEPOST_ENTRY(__atomic_exchange);
FENCEPOST_ENTRY(__atomic_compare_exchange);
FENCEPOST_ENTRY(__atomic_load_16);
FENCEPOST_ENTRY(__atomic_exchange_16);
FENCEPOST_ENTRY(__atomic_compare_exchange_16);
FENCEPOST_ENTRY(__atomic_fetch_add_16);
FENCEPOST_ENTRY(__atomic_fetch_sub_16);
FENCEPOST_ENTRY(__atomic_fetch_and_16);
FENCEPOST_ENTRY(__atomic_fetch_or_16);
FENCEPOST_ENTRY(__atomic_fetch_xor_16);
FENCEPOST_ENTRY(__atomic_fetch_nand_16);
FENCEPOST_ENTRY_TO(fencepost_latch_try_wait, fencepost_ask_latch);
// The C++ library's count of waiters, see tsan.cpp.
FENCEPOST_ENTRY_TO(fencepost_library_atomic32_load, fencepost_fenced_load32);
FENCEPOST_ENTRY_TO(fencepost_library_atomic32_fetch_add, fencepost_fenced_fetch_add32);
FENCEPOST_ENTRY_TO(fencepost_library_atomic64_load, fencepost_fenced_load64);
FENCEPOST_ENTRY_TO(fencepost_library_atomic64_fetch_add, fencepost_fenced_fetch_add64);
