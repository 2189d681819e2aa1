// SPDX-License-Identifier: MIT
// std::call_once.
//
// case: once
// expect: all=holds
#include <cassert>
#include <mutex>
#include <thread>

std::once_flag flag;
int table = 0;
int runs = 0;

int main() {
  auto use = [] {
    std::call_once(flag, [] {
      table = 7;
      runs++;
    });
    assert(table == 7);
  };
  std::thread first(use);
  std::thread second(use);
  first.join();
  second.join();
  assert(runs == 1);
}
