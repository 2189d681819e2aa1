// SPDX-License-Identifier: MIT
// case: std_cin
// expect: all=error at=call says="cin|istream"
#include <iostream>

int main() {
  int number = 0;
  std::cin >> number;  // @call
  return number;
}
