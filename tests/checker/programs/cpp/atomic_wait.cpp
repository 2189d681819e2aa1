// SPDX-License-Identifier: MIT
// std::atomic::wait and notify do what the standard says of them, with any order of the store.
// libstdc++ 12 looks at its count of waiters before it wakes anyone; that look and the store
// before it are store buffering, and as written only a seq_cst store orders them. On x86 the look
// is a mov like any other: there the library is judged as it is compiled.
//
// case: seq_cst
// expect: all=holds
//
// case: no_notify
// flags: -DNO_NOTIFY
// expect: all=violated:lost-wakeup
//
// case: release_store
// flags: -DSTORE=release -DWAIT=acquire
// expect: c++20=holds x86=violated:lost-wakeup sc=holds
//
// case: release_exchange
// flags: -DEXCHANGE -DWAIT=acquire
// expect: all=holds
//
// case: relaxed_store
// flags: -DSTORE=relaxed -DWAIT=acquire
// expect: all=violated:data-race at=race
//
// case: seq_cst_with_the_library_as_written
// options: --library-as-written
// expect: all=holds
//
// case: release_store_with_the_library_as_written
// flags: -DSTORE=release -DWAIT=acquire
// options: --library-as-written
// expect: c++20=violated:lost-wakeup x86=violated:lost-wakeup sc=holds
//
// case: exchange_with_the_library_as_written
// flags: -DEXCHANGE -DWAIT=acquire
// options: --library-as-written
// expect: c++20=violated:lost-wakeup x86=holds sc=holds
#include <atomic>
#include <cassert>
#include <thread>

#ifndef STORE
#define STORE seq_cst
#endif
#ifndef WAIT
#define WAIT seq_cst
#endif
#define ORDER_(name) std::memory_order_##name
#define ORDER(name) ORDER_(name)

std::atomic<int> ready{0};
int payload = 0;

int main() {
  std::thread waiter([] {
    ready.wait(0, ORDER(WAIT));
    assert(payload == 42);  // @race
  });
  payload = 42;  // @race
#ifdef EXCHANGE
  // With its result unused a compiler may make a store of it.
  if (ready.exchange(1, std::memory_order_release) != 0) return 1;
#else
  ready.store(1, ORDER(STORE));
#endif
#ifndef NO_NOTIFY
  ready.notify_one();
#endif
  waiter.join();
}
