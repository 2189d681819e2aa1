// SPDX-License-Identifier: MIT
// A thread polls, and writes to its stack meanwhile. That another thread looks there is not known
// when the poll is first cut short: the search has to begin anew once it is, and then the rounds,
// each of which has an effect, have no end.
//
// case: seen
// expect: all=inconclusive at=poll says="more than 10000 events"
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
      for (int look = 0; look < 5; ++look) {
        const std::lock_guard in(door);
        if (own != last) ++changes;
        last = own;
      }
      go = 2;
      assert(changes < 5);
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
