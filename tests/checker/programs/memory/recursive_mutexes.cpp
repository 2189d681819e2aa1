// SPDX-License-Identifier: MIT
// std::recursive_mutex is unlocked by who does not own it, or once too often: undefined. Of POSIX's
// recursive mutex that is an error which is returned.
//
// case: anothers
// flags: -DANOTHERS
// expect: all=violated:memory at=anothers
//
// case: once_too_often
// flags: -DTOO_OFTEN
// expect: all=violated:memory at=often
//
// case: timed
// flags: -DTOO_OFTEN -DMUTEX=std::recursive_timed_mutex
// expect: all=violated:memory at=often
//
// case: posix
// flags: -DPOSIX
// expect: all=holds
//
// case: twice
// expect: all=holds
#include <pthread.h>

#include <cassert>
#include <cerrno>
#include <mutex>
#include <thread>

#ifndef MUTEX
#define MUTEX std::recursive_mutex
#endif

MUTEX mutex;

int main() {
#ifdef POSIX
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_t own;
  pthread_mutex_init(&own, &recursive);
  assert(pthread_mutex_unlock(&own) == EPERM);
#endif
  mutex.lock();
  std::thread other([] {
#ifdef ANOTHERS
    mutex.unlock();  // @anothers
#else
    mutex.lock();
    mutex.lock();
    mutex.unlock();
    mutex.unlock();
#ifdef TOO_OFTEN
    mutex.unlock();  // @often
#endif
#endif
  });
#ifndef ANOTHERS
  mutex.unlock();
#endif
  other.join();
}
