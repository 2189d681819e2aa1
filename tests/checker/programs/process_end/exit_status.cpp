// SPDX-License-Identifier: MIT
// A program that counts what went wrong and says so by its exit status has failed, whichever way it
// ends: so it is with test programs that have macros of their own in place of assert. The message
// is lost in the execution in which the reader sees the flag and not the data.
//
// case: returned
// flags: -DEND=return
// expect: c++20=exit-status x86=holds sc=holds says="exit status 3" at=MAIN
// case: exit
// flags: -DEND=std::exit
// expect: c++20=exit-status x86=holds sc=holds says="exit status 3" at=END
// case: quick_exit
// flags: -DEND=std::quick_exit
// expect: c++20=exit-status x86=holds sc=holds says="exit status 3" at=END
// case: at_once
// flags: -DEND=_exit
// expect: c++20=exit-status x86=holds sc=holds says="exit status 3" at=END
// case: caught
// flags: -DCAUGHT
// expect: c++20=exit-status x86=holds sc=holds says="exit status 1" at=MAIN
// case: by_another_thread
// flags: -DBY_THE_READER
// expect: c++20=exit-status x86=holds sc=holds says="exit status 2" at=OTHER
// case: any
// flags: -DEND=return
// options: --any-exit-status
// expect: all=holds
// case: repaired
// flags: -DEND=return -DORDER=std::memory_order_release
// expect: all=holds
// case: of_256
// flags: -DSTATUS=256 -DEND=return
// expect: all=holds
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#ifndef ORDER
#define ORDER std::memory_order_relaxed
#endif
#ifndef STATUS
#define STATUS 3
#endif

std::atomic<int> data{0};
std::atomic<bool> ready{false};
int failures = 0;

void consume() {
  if (!ready.load(std::memory_order_acquire)) return;
  if (data.load(std::memory_order_relaxed) == 1) return;
#ifdef BY_THE_READER
  std::exit(2);  // @OTHER
#endif
  ++failures;
}

int main() {  // @MAIN
  std::thread reader(consume);
  data.store(1, std::memory_order_relaxed);
  ready.store(true, ORDER);
  reader.join();
#ifdef CAUGHT
  try {
    if (failures != 0) throw std::runtime_error("the data is not there");
  } catch (const std::exception&) {
    return 1;
  }
#elif !defined BY_THE_READER
  if (failures != 0) END(STATUS);  // @END
#endif
  return 0;
}
