// SPDX-License-Identifier: MIT
#include <cassert>
#include <thread>

#include "raise.hpp"

const char* const text = TEXT;
std::atomic<int> mine, yours;

int main() {
  bool i_saw = false, you_saw = false;
  std::thread me([&] { i_saw = raise(mine, yours); });
  std::thread you([&] { you_saw = raise(yours, mine); });
  me.join();
  you.join();
  assert(i_saw || you_saw);
}
