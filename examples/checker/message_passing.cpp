// SPDX-License-Identifier: MIT
// One thread prepares a message and raises a flag, another looks at the flag and reads the message.
// Release and acquire make it safe, and the checker says so after every execution there is: one in
// which the flag was seen, one in which it was not.
//
//   $ ./fencepost check examples/checker/message_passing.cpp
//   holds under c++20: 2 executions
//
// Weaken the store and the message may be read while it is written:
//
//   $ ./fencepost check examples/checker/message_passing.cpp -- -DSTORE=relaxed
//   violated under c++20
//   data-race at examples/checker/message_passing.cpp
#include <atomic>
#include <cassert>
#include <thread>

#ifndef STORE
#define STORE release
#endif
#define ORDER_(name) std::memory_order_##name
#define ORDER(name) ORDER_(name)

int message = 0;
std::atomic<bool> ready{false};

int main() {
  std::thread sender([] {
    message = 42;
    ready.store(true, ORDER(STORE));
  });
  std::thread receiver([] {
    if (ready.load(std::memory_order_acquire)) assert(message == 42);
  });
  sender.join();
  receiver.join();
}
