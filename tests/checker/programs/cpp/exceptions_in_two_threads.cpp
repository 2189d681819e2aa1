// SPDX-License-Identifier: MIT
// Two threads each handle an exception of their own while the other runs: the exception being
// handled belongs to its thread.
//
// case: each_its_own
// expect: c++20=holds executions=4
// expect: x86=holds executions=4
// expect: sc=holds executions=3
#include <atomic>
#include <cassert>
#include <exception>
#include <thread>

std::atomic<int> x{0};
std::atomic<int> y{0};

void handle(int mine, std::atomic<int>& announce, const std::atomic<int>& other) {
  try {
    throw mine;
  } catch (int caught) {
    assert(std::uncaught_exceptions() == 0);
    announce.store(1, std::memory_order_relaxed);
    (void)other.load(std::memory_order_relaxed);
    assert(caught == mine);
    try {
      throw;
    } catch (int again) {
      assert(again == mine);
    }
  }
}

int main() {
  std::thread first([] { handle(1, x, y); });
  std::thread second([] { handle(2, y, x); });
  first.join();
  second.join();
}
