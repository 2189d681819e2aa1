// SPDX-License-Identifier: MIT
// case: std_cin
// expect: all=refused at=call says="cin|istream"
#include <iostream>

int main() {
  int number = 0;
  std::cin >> number;  // @call
  return number;
}
