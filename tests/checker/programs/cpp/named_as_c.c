// SPDX-License-Identifier: MIT
// C++ in a file that is named as C is: a flag says so. A standard stream's state is watched there
// as elsewhere, also by code that does not care where the stream lies.
//
// case: state
// flags: -x c++ -fPIC -O0
// expect: all=violated:data-race
#include <iostream>
#include <thread>

int main() {
  std::thread other([] { (void)std::cout.good(); });
  std::cout.setstate(std::ios::badbit);
  other.join();
}
