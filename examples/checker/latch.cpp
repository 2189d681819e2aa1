// SPDX-License-Identifier: MIT
// Two threads meet at a std::latch. As the standard defines it nobody sleeps for ever, and there is
// one execution, for in what order they come is nothing that anybody learns:
//
//   $ ./fencepost check examples/checker/latch.cpp
//   holds under c++20: 1 execution
//
// Judge the orders in libstdc++'s own headers instead, and by the letter of C++20 one can: the
// count-down is a release, then the library looks whether anybody waits, and nothing keeps the look
// from coming first. On x86 it cannot:
//
//   $ ./fencepost check --library-as-written --model c++20,x86 examples/checker/latch.cpp
//   violated under c++20
//   lost-wakeup at examples/checker/latch.cpp
//   holds under x86

#include <latch>
#include <thread>

int main() {
  std::latch both_here{2};
  std::thread other([&] { both_here.arrive_and_wait(); });
  both_here.arrive_and_wait();
  other.join();
}
