// SPDX-License-Identifier: MIT
// To join a thread or detach it changes the std::thread: who asks it meanwhile races.
//
// case: joined_and_asked
// flags: -DMINE=join -DTHEIRS=ask
// expect: all=violated:data-race
//
// case: detached_and_asked
// flags: -DMINE=detach -DTHEIRS=ask
// expect: all=violated:data-race
//
// case: asked_twice
// flags: -DMINE=ask -DTHEIRS=ask
// expect: all=holds
//
// case: joined_twice
// flags: -DMINE=join -DTHEIRS=join
// expect: all=violated:data-race
//
// case: joined_once_under_a_lock
// flags: -DMINE=join -DTHEIRS=join -DLOCKED
// expect: all=holds
//
// case: detached_once_under_a_lock
// flags: -DMINE=detach -DTHEIRS=detach -DLOCKED
// expect: all=holds
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::thread worker;

[[maybe_unused]] static void ask() { (void)worker.joinable(); }
[[maybe_unused]] static void join() {
  if (worker.joinable()) worker.join();
}
[[maybe_unused]] static void detach() {
  if (worker.joinable()) worker.detach();
}

static void run(void (*action)()) {
#ifdef LOCKED
  const std::lock_guard<std::mutex> lock(mutex);
#endif
  action();
}

int main() {
  worker = std::thread([] {});
  std::thread other([] { run(THEIRS); });
  run(MINE);
  other.join();
  if (worker.joinable()) worker.join();
}
