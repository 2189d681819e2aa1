// SPDX-License-Identifier: MIT
// A worker that waits for work and that nobody tells to stop.
//
// case: detached_when_main_returns
// flags: -DDETACH
// expect: all=holds
//
// case: says_that_it_is_one
// flags: -DSAYS
// expect: all=holds
//
// case: allowed_by_the_command_line
// options: --daemons
// expect: all=holds
//
// case: neither_detached_nor_marked
// expect: all=violated:lost-wakeup at=wait
//
// case: main_waits_for_one
// flags: -DSAYS -DJOIN
// expect: all=violated:deadlock at=join
//
// case: its_work_is_waited_for
// flags: -DSAYS -DFLAG_OUTSIDE
// expect: all=violated:lost-wakeup at=answer
//
// case: detached_but_main_only_ends_its_thread
// flags: -DDETACH -DONLY_MAIN_ENDS
// expect: all=violated:lost-wakeup at=wait
#include <pthread.h>

#include <condition_variable>
#include <fencepost/instrumentation.hpp>
#include <mutex>
#include <thread>

struct State {
  std::mutex mutex;
  std::condition_variable changed;
  std::condition_variable answered;
  int work = 0;
  bool done = false;
};

State* const state = new State;  // nobody destroys it under the worker

void worker() {
#ifdef SAYS
  fencepost::instrumentation::daemon();
#endif
  std::unique_lock lock(state->mutex);
  for (;;) {
    state->changed.wait(lock, [] { return state->work != 0; });  // @wait
    state->work = 0;
    state->done = true;
#ifndef FLAG_OUTSIDE
    state->answered.notify_one();
#endif
  }
}

int main() {
  std::thread thread(worker);
  {
    std::unique_lock lock(state->mutex);
    state->work = 1;
    state->changed.notify_one();
    state->answered.wait(lock, [] { return state->done; });  // @answer
  }
#if defined(JOIN)
  thread.join();  // @join
#elif defined(DETACH)
  thread.detach();
#else
  new std::thread(std::move(thread));  // never joined
#endif
#ifdef ONLY_MAIN_ENDS
  pthread_exit(nullptr);
#endif
}
