// SPDX-License-Identifier: MIT
// Objects that are constructed before main, some by a call that allocates, are what main finds in
// every execution.
//
// case: constructed_once_and_found_again
// expect: all=holds executions=2
#include <atomic>
#include <cassert>
#include <memory>
#include <string>
#include <thread>
#include <vector>

struct registry {
  std::vector<std::string> names;
  std::unique_ptr<std::atomic<int>> uses = std::make_unique<std::atomic<int>>(0);
  registry() { names.emplace_back("constructed before main, and long enough to be on the heap"); }
};

registry global;
std::atomic<int> constructed{static_cast<int>(global.names.size())};

int main(int argc, char** argv) {
  assert(argc >= 1 && argv[0] != nullptr);
  assert(global.names.size() == 1);
  assert(constructed.load() == 1);
  assert(global.uses->load() == 0);
  global.names.emplace_back("added");
  std::thread user([] { global.uses->fetch_add(1); });
  global.uses->fetch_add(2);
  user.join();
  assert(global.uses->load() == 3);
  return 0;
}
