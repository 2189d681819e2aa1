// SPDX-License-Identifier: MIT
// std::set_terminate and std::set_new_handler, which the C++ library keeps in variables of its own:
// each execution begins with the ones that there were before main.
//
// case: each_execution_begins_without
// expect: all=holds executions=2
//
// case: each_execution_begins_without_by_clang
// options: --cc clang-14
// expect: all=holds executions=2
//
// case: one_that_is_left_is_called
// flags: -DCALLED
// expect: all=violated:assertion
#include <atomic>
#include <cassert>
#include <exception>
#include <new>
#include <thread>

std::atomic<int> count{0};

void out_of_memory() { throw std::bad_alloc(); }
void ends() { assert(count.load() == 0); }

int main() {
  assert(std::get_new_handler() == nullptr);
  const std::terminate_handler before = std::get_terminate();
  assert(before != ends);
  {
    std::jthread one([] { count.fetch_add(1); });
    std::jthread other([] { count.fetch_add(1); });
  }
  std::set_new_handler(out_of_memory);
  std::set_terminate(ends);
  assert(std::get_new_handler() == out_of_memory);
#ifdef CALLED
  std::terminate();
#endif
  return 0;
}
