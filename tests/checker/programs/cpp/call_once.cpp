// SPDX-License-Identifier: MIT
// std::call_once: if the function throws, the next caller runs it.
//
// case: once
// expect: all=holds
//
// case: throws_at_first
// flags: -DTHROW
// expect: all=holds
//
// case: throws_always
// flags: -DTHROW -DALWAYS
// expect: all=violated:assertion at=filled
//
// case: compiled_by_clang
// flags: -DTHROW
// options: --cc clang-14
// expect: c++20=holds
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

std::once_flag flag;
int table = 0;
int runs = 0;

int main() {
  auto use = [] {
    for (int tries = 0; tries < 2; tries++) {
      try {
        std::call_once(flag, [] {
          runs++;
#ifdef ALWAYS
          throw std::runtime_error("never");
#elif defined(THROW)
          if (runs == 1) throw std::runtime_error("not yet");
#endif
          table = 7;
        });
        break;
      } catch (const std::runtime_error&) {
      }
    }
    assert(table == 7);  // @filled
  };
  std::thread first(use);
  std::thread second(use);
  first.join();
  second.join();
#ifdef THROW
  assert(runs == 2);
#else
  assert(runs == 1);
#endif
}
