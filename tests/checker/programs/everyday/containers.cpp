// SPDX-License-Identifier: MIT
// Containers, strings and streams shared under a lock, and one that is not.
//
// case: locked
// options: --leaks
// expect: all=holds executions=2
//
// case: unlocked_map
// flags: -DUNLOCKED
// expect: all=violated:data-race
#include <cassert>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

std::mutex mutex;
std::map<std::string, std::vector<int>> groups;
std::unordered_map<int, std::string> names;

void add(const std::string& group, int first) {
#ifndef UNLOCKED
  const std::lock_guard lock(mutex);
#endif
  for (int i = first; i < first + 20; i++) {
    std::ostringstream name;
    name << group << '-' << i;
    groups[group].push_back(i);
    names.emplace(i, name.str());
  }
}

int main() {
  std::vector<std::thread> threads;
  threads.emplace_back(add, "even", 0);
  threads.emplace_back(add, "a group with a name that is not short", 100);
  for (auto& thread : threads) thread.join();
  assert(groups.size() == 2);
  assert(names.size() == 40);
  assert(names.at(119) == "a group with a name that is not short-119");
}
