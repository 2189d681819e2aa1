// SPDX-License-Identifier: MIT
//
// One thread publishes measurements, others print what is new. The publisher never waits and never
// makes a system call while everybody is busy; a reader that has seen everything sleeps.
#include "fencepost/event_count.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

namespace {

constexpr int total = 1'000;

// Each place is written once, before the increment that announces it.
std::array<int, total> measured;
fencepost::two_word_event_count published;

std::atomic<int> complete{0};

void read_all() {
  long sum = 0;
  for (unsigned seen = 0; seen != total;) {
    // Returns at once if there is something new, and sleeps otherwise. What is waited for is the
    // data, so there is nothing to look at in between: the version says how much of it is there.
    const unsigned now = published.wait(seen);
    for (; seen != now; ++seen) sum += measured[seen];
  }
  if (sum == static_cast<long>(total) * (total - 1) / 2) ++complete;
}

}  // namespace

int main() {
  std::thread one(read_all);
  std::thread other(read_all);

  for (int n = 0; n != total; ++n) {
    measured[static_cast<unsigned>(n)] = n;
    published.increment();
    if (n % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  one.join();
  other.join();
  std::printf("%d of 2 readers have seen every measurement\n", complete.load());

  // Nothing more comes: a wait with a limit says so.
  const bool more = published.wait_for(total, std::chrono::milliseconds(5));
  return complete.load() == 2 && !more ? 0 : 1;
}
