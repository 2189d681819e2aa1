// SPDX-License-Identifier: MIT
// std::condition_variable: two threads play ping-pong.
//
// case: predicate
// expect: all=holds
//
// case: notify_before_a_bare_wait
// flags: -DBARE
// expect: all=violated:lost-wakeup
//
// case: any_lockable
// flags: -DANY
// expect: all=holds
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
#ifdef ANY
std::condition_variable_any changed;
#else
std::condition_variable changed;
#endif
int turn = 0;

int main() {
  std::thread ping([] {
    std::unique_lock lock(mutex);
    turn = 1;
    changed.notify_one();
#ifndef BARE
    changed.wait(lock, [] { return turn == 2; });
    assert(turn == 2);
#endif
  });
  std::thread pong([] {
    std::unique_lock lock(mutex);
#ifdef BARE
    changed.wait(lock);
#else
    changed.wait(lock, [] { return turn == 1; });
#endif
    turn = 2;
    changed.notify_one();
  });
  ping.join();
  pong.join();
}
