// SPDX-License-Identifier: MIT
// An object's table of virtual functions is stored by its constructor and, as far as anybody can
// tell, read by a destructor that finds its own there. (clang leaves the destructor's store out
// where it has no body, and does not tell a constructor's from it.)
//
// case: destroyed_in_freed_memory
// flags: -DFREED
// options: --cc gcc
// expect: all=violated:memory at=empty says="freed"
//
// case: destroyed_in_freed_memory_with_a_body
// flags: -DFREED -DBODY
// expect: all=violated:memory at=body says="freed"
//
// case: made_anew_while_it_is_used
// flags: -DANEW
// options: --cc gcc
// expect: all=violated:data-race at=use|make
//
// case: made_anew_when_it_is_no_longer_used
// flags: -DANEW -DJOINED
// expect: all=holds executions=1
//
// case: a_destructor_waits_for_who_uses_it
// flags: -DWAITS
// expect: all=holds
#include <new>
#include <thread>

struct task {
  virtual int run() { return 1; }
#if defined WAITS
  std::thread worker;
  void start() {
    worker = std::thread([this] { run(); });
  }
  virtual ~task() { worker.join(); }
#elif defined BODY
  virtual ~task() { run(); }  // @body
#else
  virtual ~task() {}  // @empty
#endif
};

alignas(task) char slot[sizeof(task)];

int main() {
#if defined FREED
  auto* const made = new task;
  ::operator delete(made);
  made->task::~task();
#elif defined ANEW
  task* const made = new (slot) task;
  std::thread user([made] { made->run(); });  // @use
#ifdef JOINED
  user.join();
#endif
  made->~task();
  task* const again = new (slot) task;  // @make
#ifndef JOINED
  user.join();
#endif
  again->~task();
#else
  task own;
  own.start();
#endif
}
