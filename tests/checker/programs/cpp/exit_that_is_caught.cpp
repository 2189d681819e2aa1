// SPDX-License-Identifier: MIT
// pthread_exit unwinds the stack by something that a handler may look at and has to throw again:
// otherwise the C library aborts.
//
// case: thrown_again
// flags: -DEND=throw
// expect: all=holds
//
// case: kept
// flags: -DEND=
// expect: all=violated:uncaught at=exit
//
// case: another_one_is_thrown
// flags: -DEND=throw(5)
// expect: all=violated:uncaught
//
// case: kept_by_its_name
// flags: -DEND= -DWHAT=abi::__forced_unwind&
// expect: all=violated:uncaught at=exit
//
// case: main_keeps_it
// flags: -DEND= -DIN_MAIN
// expect: all=violated:uncaught at=exit
#include <cxxabi.h>
#include <pthread.h>

#ifndef WHAT
#define WHAT ...
#endif

static void* leave(void*) {
  try {
    pthread_exit(nullptr);  // @exit
  } catch (WHAT) {
    END;
  }
  return nullptr;
}

int main() {
  pthread_t thread;
#ifdef IN_MAIN
  leave(nullptr);
#endif
  pthread_create(&thread, nullptr, leave, nullptr);
  pthread_join(thread, nullptr);
}
