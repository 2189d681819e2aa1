// SPDX-License-Identifier: MIT
// Whoever ends the process second, where nothing is registered, may as well be the first, and then
// destroys its thread-local objects.
//
// case: main_returns
// flags: -DMAIN=return(0)
// expect: all=violated:assertion at=destroyed
//
// case: main_calls_exit
// flags: -DMAIN=std::exit(0)
// expect: all=violated:assertion at=destroyed
//
// case: main_leaves_them
// flags: -DMAIN=std::quick_exit(0)
// expect: all=holds
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>

std::atomic<bool> about_to_end;

struct Noticed {
  bool is_right = true;
  ~Noticed() { assert(is_right); }  // @destroyed
};
thread_local Noticed noticed;

int main() {
  std::thread([] {
    about_to_end = true;
    std::exit(0);
  }).detach();
  if (about_to_end) noticed.is_right = false;
  MAIN;
}
