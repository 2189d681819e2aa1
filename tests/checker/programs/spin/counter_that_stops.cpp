// SPDX-License-Identifier: MIT
// A loop that throws twice and then only looks. Optimised, it has a variable that every round sets
// to 2 and whose being another number would end it: that is no counter, which would run out.
//
// case: as_it_is
// expect: all=holds
//
// case: optimised
// flags: -O2
// expect: all=holds
#include <atomic>
#include <thread>

std::atomic<int> told;

int main() {
  std::thread tells([] { told = 1; });
  int thrown = 0;
  while (told == 0) {
    try {
      if (thrown < 2) throw ++thrown;
    } catch (int) {
    }
  }
  tells.join();
}
