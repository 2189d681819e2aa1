// SPDX-License-Identifier: MIT
// A thread polls, and writes to its stack meanwhile. That another thread looks there is not known
// when the poll is first cut short: the search has to begin anew once it is, and then each of the
// rounds, which have no end, has an effect.
//
// case: seen
// expect: all=violated:assertion
//
// case: seen_as_rounds_are_counted
// options: --max-executions 100000
// expect: all=inconclusive says="more than 10000 events"
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

int main() {
  std::mutex door;
  std::atomic<int> go{0};
  std::thread poller([&] {
    bool own = false;
    std::thread watcher([&] {
      while (go.load() == 0) continue;
      int changes = 0;
      bool last = false;
      for (int look = 0; look < 3; ++look) {
        const std::lock_guard in(door);
        if (own != last) ++changes;
        last = own;
      }
      go = 2;
      assert(changes < 3);
    });
    while (go.load() != 2) {
      {
        const std::lock_guard in(door);  // @poll
        own = true;
      }
      const std::lock_guard in(door);
      own = false;
    }
    watcher.join();
  });
  go = 1;
  poller.join();
}
