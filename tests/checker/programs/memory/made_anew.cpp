// SPDX-License-Identifier: MIT
// Memory that is plain, then holds an atomic object, then is plain again, then holds another one.
//
// case: in_turn
// expect: all=holds executions=1
// expect: c++14=holds executions=1
//
// case: in_turn_by_clang
// options: --cc clang-14
// expect: all=holds executions=1
//
// case: made_anew_while_somebody_looks
// flags: -DTOO_EARLY
// expect: all=violated:data-race at=race
//
// case: cleared_while_somebody_looks
// flags: -DCLEARED
// expect: all=violated:data-race at=race
//
// case: of_another_size
// flags: -DNEXT=long
// expect: all=holds executions=1
#include <atomic>
#include <cassert>
#include <cstring>
#include <new>
#include <thread>

#ifndef NEXT
#define NEXT unsigned
#endif

alignas(8) unsigned char bytes[8];

int main() {
  std::memset(bytes, 7, sizeof bytes);
  assert(bytes[0] == 7);
  auto* first = new (bytes) std::atomic<int>(1);
  std::thread worker([first] {
    const int seen = first->fetch_add(1);  // @race
    assert(seen == 1);
  });
#ifdef TOO_EARLY
  new (bytes) std::atomic<int>(5);  // @race
#endif
#ifdef CLEARED
  std::memset(bytes, 0, sizeof bytes);  // @race
#endif
  worker.join();
  assert(*reinterpret_cast<int*>(bytes) == 2);
  std::memset(bytes, 1, sizeof bytes);
  assert(bytes[3] == 1);
  auto* second = new (bytes) std::atomic<NEXT>(40);
  std::thread other([second] { second->fetch_add(2); });
  other.join();
  assert(second->load() == 42);
}
