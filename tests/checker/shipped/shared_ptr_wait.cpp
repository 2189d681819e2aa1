// SPDX-License-Identifier: MIT
// libstdc++ 12's std::atomic<std::shared_ptr>::wait on a real machine: a change that it does not
// see, and one that there was not. docs/checker/shipped_code.md says why.
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>

// How often a thread has gone to sleep of its own accord, and whether it sleeps now.
struct naps {
  long times = 0;
  bool now = false;
};

naps naps_of(long thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/status");
  naps found;
  for (std::string word; file >> word;) {
    if (word == "State:" && file >> word) found.now = word == "S";
    if (word == "voluntary_ctxt_switches:") file >> found.times;
  }
  return found;
}

void say(const char* what) {
  std::puts(what);
  std::fflush(stdout);
}

int main() {
  const auto owner = std::make_shared<std::pair<int, int>>(1, 2);
  const std::shared_ptr<int> first(owner, &owner->first);
  const std::shared_ptr<int> second(owner, &owner->second);

  std::atomic<std::shared_ptr<int>> shared(first);
  std::atomic<long> id{0};
  std::atomic<bool> returned{false};
  std::thread waiter([&] {
    id.store(gettid());
    shared.wait(first);
    returned.store(true);
  });
  while (id.load() == 0 || !naps_of(id.load()).now) sched_yield();
  const long before = naps_of(id.load()).times;
  shared.store(second);
  shared.notify_all();
  naps after;
  do {
    sched_yield();
    after = naps_of(id.load());
  } while (!returned.load() && !(after.now && after.times > before));
  say(returned.load() ? "changed and notified: returns" : "changed and notified: sleeps again");

  std::atomic<std::shared_ptr<int>> unchanged(first);
  std::atomic<bool> reads{false};
  std::thread reader([&] {
    for (;;) {
      if (unchanged.load() != first) say("somebody changed it");
      unchanged.notify_all();
      reads.store(true);
    }
  });
  while (!reads.load()) sched_yield();
  unchanged.wait(first);
  say("read by another thread, never changed: returns");
  _exit(0);
}
