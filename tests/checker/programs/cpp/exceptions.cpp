// SPDX-License-Identifier: MIT
// Exceptions inside threads: caught, carried home, or fatal.
//
// case: caught
// expect: all=holds executions=3
//
// case: carried_home
// flags: -DCARRY
// expect: all=holds executions=1
//
// case: uncaught_in_a_thread
// flags: -DUNCAUGHT
// expect: all=violated:uncaught
//
// case: uncaught_in_one_execution_only
// flags: -DSOMETIMES
// expect: all=violated:uncaught
//
// case: through_noexcept
// flags: -DNOEXCEPT
// expect: all=violated:uncaught
//
// case: uncaught_in_main
// flags: -DIN_MAIN
// expect: all=violated:uncaught
#include <atomic>
#include <cassert>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

std::atomic<int> x{0};

struct counter_guard {
  int& count;
  ~counter_guard() { count++; }
};

int check(int value) {
  if (value == 2) throw std::out_of_range("value is two");
  return value;
}

int main() {
#if defined(CARRY)
  std::exception_ptr carried;
  std::thread worker([&carried] {
    try {
      check(2);
    } catch (...) {
      carried = std::current_exception();
    }
  });
  worker.join();
  try {
    std::rethrow_exception(carried);
  } catch (const std::exception& error) {
    assert(error.what() == std::string("value is two"));
    return 0;
  }
  assert(false);
#elif defined(UNCAUGHT)
  std::thread worker([] { check(2); });
  worker.join();
#elif defined(SOMETIMES)
  std::thread writer([] { x.store(2); });
  std::thread worker([] { check(x.load()); });
  writer.join();
  worker.join();
#elif defined(NOEXCEPT)
  std::thread worker([] {
    try {
      []() noexcept { check(2); }();
    } catch (...) {
    }
  });
  worker.join();
#elif defined(IN_MAIN)
  check(2);
#else
  int unwound = 0;
  std::thread writer([] {
    x.store(1);
    x.store(2);
  });
  std::thread worker([&unwound] {
    try {
      const counter_guard guard{unwound};
      const int seen = check(x.load());
      assert(seen == 0 || seen == 1);
    } catch (const std::out_of_range& error) {
      assert(error.what() == std::string("value is two"));
    }
  });
  writer.join();
  worker.join();
  assert(unwound == 1);
#endif
}
