// SPDX-License-Identifier: MIT
// main sets a flag and takes it back, again and again: after each round its stack is as before, and
// still the rounds have an effect, for the flag is looked at by another thread. Five changes take
// three rounds.
//
// case: three_rounds
// flags: -DMOST=3
// expect: all=violated:assertion at=changes
// case: two_rounds
// flags: -DMOST=2
// expect: all=holds
// case: any_number
// flags: -DMOST=1000000
// expect: all=violated:assertion at=changes
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

int main() {
  std::mutex door;
  bool flag = false;
  std::atomic<bool> enough{false};
  std::thread watcher([&] {
    int changes = 0;
    bool last = false;
    for (int look = 0; look < 5; ++look) {
      const std::lock_guard in(door);
      if (flag != last) ++changes;
      last = flag;
    }
    enough = true;
    assert(changes < 5);  // @changes
  });
  for (int round = 0; !enough && round < MOST; ++round) {
    {
      const std::lock_guard in(door);
      flag = true;
    }
    const std::lock_guard in(door);
    flag = false;
  }
  watcher.join();
}
