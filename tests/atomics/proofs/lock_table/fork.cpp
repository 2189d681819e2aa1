// SPDX-License-Identifier: MIT
//
// While a thread forks, no other is in the middle of an object: what the child gets is whole, and
// the threads of the parent go on. This program is the C library: it is told what to call, and
// calls it; what the child would see is read where fork() would be.
//
// expect: c++20,c++14,x86,sc=holds
// case: as_it_is
// case: not_told -DNOT_TOLD
// expect: c++20,c++14,x86,sc=violated
#include <sys/syscall.h>

#include <cassert>
#include <thread>

// There are no signals here: what would block them is a call that changes nothing.
#undef SYS_rt_sigprocmask
#define SYS_rt_sigprocmask SYS_gettid

#include "three_words.hpp"

static void (*told_before)();
static void (*told_after)();

extern "C" int __register_atfork(void (*before)(), void (*parent)(), void (*)(), void*) noexcept {
  told_before = before;
  told_after = parent;
  return 0;
}

#include "atomics/lock_table/fork.cpp"

int main() {
  std::thread writer([] { store(1); });
#if !defined(NOT_TOLD)
  told_before();
#endif
  const three_words in_child = object;
  assert(in_child.is_whole());
#if !defined(NOT_TOLD)
  told_after();
#endif
  writer.join();
  assert(load().a == 1);
}
