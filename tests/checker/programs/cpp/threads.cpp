// SPDX-License-Identifier: MIT
// std::thread and std::jthread: arguments, results, moves and the stop request.
//
// case: joined
// expect: all=holds executions=1
//
// case: stop_request
// flags: -DSTOP
// expect: all=holds
//
// case: forgotten_join
// flags: -DFORGET
// expect: all=violated:uncaught|assertion
//
// case: read_before_the_join
// flags: -DEARLY
// expect: all=violated:data-race at=race
#include <cassert>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

void measure(const std::string& text, std::size_t& length) {
  length = text.size();  // @race
}

int main() {
#ifdef STOP
  int rounds = 0;
  {
    std::jthread worker([&rounds](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
      }
      rounds = 1;
    });
  }
  assert(rounds == 1);
#else
  std::size_t length = 0;
  std::thread worker(measure, std::string("a text too long for the small string buffer"),
                     std::ref(length));
  assert(worker.joinable());
#ifdef EARLY
  assert(length != 1);  // @race
#endif
  std::thread moved = std::move(worker);
  auto kept = std::make_unique<int>(3);
  std::thread taker([owned = std::move(kept)] { assert(*owned == 3); });
  taker.join();
#ifndef FORGET
  moved.join();
  assert(length == 43);
#endif
#endif
}
