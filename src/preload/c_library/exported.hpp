// SPDX-License-Identifier: MIT
//
// Everything in this library is hidden, but for the C library's names that it stands before, each
// with that library's versions (versions.cmake, which reads the lines below). Their declarations
// are the C library's, which have no visibility of their own and take the build's: hidden. This
// makes them visible before they are defined.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#define FENCEPOST_EXPORTED(name) extern "C" [[gnu::visibility("default")]] decltype(name) name

FENCEPOST_EXPORTED(pthread_mutex_init);
FENCEPOST_EXPORTED(pthread_mutex_destroy);
FENCEPOST_EXPORTED(pthread_mutex_lock);
FENCEPOST_EXPORTED(pthread_mutex_trylock);
FENCEPOST_EXPORTED(pthread_mutex_timedlock);
FENCEPOST_EXPORTED(pthread_mutex_clocklock);
FENCEPOST_EXPORTED(pthread_mutex_unlock);

FENCEPOST_EXPORTED(pthread_cond_init);
FENCEPOST_EXPORTED(pthread_cond_destroy);
FENCEPOST_EXPORTED(pthread_cond_wait);
FENCEPOST_EXPORTED(pthread_cond_timedwait);
FENCEPOST_EXPORTED(pthread_cond_clockwait);
FENCEPOST_EXPORTED(pthread_cond_signal);
FENCEPOST_EXPORTED(pthread_cond_broadcast);

FENCEPOST_EXPORTED(pthread_rwlock_init);
FENCEPOST_EXPORTED(pthread_rwlock_destroy);
FENCEPOST_EXPORTED(pthread_rwlock_rdlock);
FENCEPOST_EXPORTED(pthread_rwlock_tryrdlock);
FENCEPOST_EXPORTED(pthread_rwlock_timedrdlock);
FENCEPOST_EXPORTED(pthread_rwlock_clockrdlock);
FENCEPOST_EXPORTED(pthread_rwlock_wrlock);
FENCEPOST_EXPORTED(pthread_rwlock_trywrlock);
FENCEPOST_EXPORTED(pthread_rwlock_timedwrlock);
FENCEPOST_EXPORTED(pthread_rwlock_clockwrlock);
FENCEPOST_EXPORTED(pthread_rwlock_unlock);

FENCEPOST_EXPORTED(pthread_spin_init);
FENCEPOST_EXPORTED(pthread_spin_destroy);
FENCEPOST_EXPORTED(pthread_spin_lock);
FENCEPOST_EXPORTED(pthread_spin_trylock);
FENCEPOST_EXPORTED(pthread_spin_unlock);

FENCEPOST_EXPORTED(sem_init);
FENCEPOST_EXPORTED(sem_destroy);
FENCEPOST_EXPORTED(sem_wait);
FENCEPOST_EXPORTED(sem_trywait);
FENCEPOST_EXPORTED(sem_timedwait);
FENCEPOST_EXPORTED(sem_clockwait);
FENCEPOST_EXPORTED(sem_post);
FENCEPOST_EXPORTED(sem_getvalue);

FENCEPOST_EXPORTED(pthread_once);
FENCEPOST_EXPORTED(call_once);

FENCEPOST_EXPORTED(mtx_lock);
FENCEPOST_EXPORTED(mtx_trylock);
FENCEPOST_EXPORTED(mtx_timedlock);
FENCEPOST_EXPORTED(mtx_unlock);
FENCEPOST_EXPORTED(mtx_destroy);
FENCEPOST_EXPORTED(cnd_wait);
FENCEPOST_EXPORTED(cnd_timedwait);
FENCEPOST_EXPORTED(cnd_signal);
FENCEPOST_EXPORTED(cnd_broadcast);
FENCEPOST_EXPORTED(cnd_destroy);
