// SPDX-License-Identifier: MIT
// The four threads X, Y, Z and W of 13 July 2020 in the argument about InnoDB's mutex, without the
// mutex: X raises a flag that Z cleared before, and looks whether Y has let go; Y lets go, and
// looks at the flag. If X does not see that Y has let go, then Y sees that X has raised the flag.
// Or does it? X and Y use seq_cst throughout, Z clears with release, W raises the flag too.
//
// Under C++14 a seq_cst load may see a store that is not seq_cst unless that store happens before
// the *last* seq_cst store ahead of the load (29.3p3). What Z wrote happens before what X wrote,
// but W came last. C++20 says "any" where C++14 says "the last".
//
//   $ ./fencepost check --model c++20,c++14 examples/checker/cpp14_last_store.cpp
//   holds under c++20
//   violated under c++14
//   assertion at examples/checker/cpp14_last_store.cpp
//
// Without W, who does nothing to anybody, C++14 forbids it too:
//
//   $ ./fencepost check --model c++14 examples/checker/cpp14_last_store.cpp -- -DWITHOUT_W
//   holds under c++14
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> flag{1};
std::atomic<bool> cleared{false};
std::atomic<bool> locked{true};

int main() {
  bool went_to_sleep = false;
  bool will_wake = true;
  std::thread z([] {
    flag.store(0, std::memory_order_release);
    cleared.store(true, std::memory_order_release);
  });
  std::thread x([&] {
    if (!cleared.load(std::memory_order_acquire)) return;
    flag.store(2, std::memory_order_seq_cst);
    went_to_sleep = locked.load(std::memory_order_seq_cst);
  });
  std::thread y([&] {
    locked.store(false, std::memory_order_seq_cst);
    will_wake = flag.load(std::memory_order_seq_cst) != 0;
  });
#ifndef WITHOUT_W
  std::thread w([] { flag.store(3, std::memory_order_seq_cst); });
  w.join();
#endif
  z.join();
  x.join();
  y.join();
  assert(!went_to_sleep || will_wake);
}
