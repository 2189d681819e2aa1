// SPDX-License-Identifier: MIT
//
// Two threads read an object under RCU that a third replaces and retires, by tickets of the
// process's interrupt clock:
//
//   reclaim N     until N batches are reclaimed; one line, "stopped 0": how often the readers were
//                 stopped by a heavy fence for it
//   survive N     says "reclaimed" when the first batch is, and goes on until the clock is no more
//                 and N batches are reclaimed since; one line, "over"
//
// Fails when a reader finds an object that was reclaimed, or there is no clock to begin with.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "fencepost/rcu.hpp"

namespace {

using fencepost::interrupt_clock;

std::atomic<long> reclaimed{0};

struct object : fencepost::rcu_obj_base<object> {
  explicit object(long n) : value(n), copy(n) {}
  object(const object&) = delete;
  object& operator=(const object&) = delete;
  ~object() {
    value = -1;
    copy = -2;
    reclaimed.fetch_add(1);
  }
  long value;
  long copy;
};

// Nobody loses patience with a ticket before eight batches are behind it, which is more than a
// second here.
constexpr long batch = 8000;
constexpr long each_millisecond = batch / 200;

std::atomic<object*> shared{new object(0)};
std::atomic<bool> over{false};
std::atomic<bool> is_broken{false};

void read() {
  while (!over) {
    const fencepost::rcu_region reading;
    const object* const seen = shared.load(std::memory_order_acquire);
    if (seen->value != seen->copy) is_broken = true;
  }
}

/// Retires until so many are reclaimed.
void replace_until_reclaimed(long objects) {
  while (reclaimed < objects) {
    for (long n = 0; n != each_millisecond; ++n) shared.exchange(new object(n))->retire();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

int run(const std::string& what, long batches) {
  fencepost::rcu_batch_size(batch);
  if (interrupt_clock::process() == nullptr) return 2;
  std::thread readers[] = {std::thread(read), std::thread(read)};
  const std::uint32_t before = fencepost::ticket::fences_begun();
  if (what == "reclaim") {
    replace_until_reclaimed(batches * batch);
    std::printf("stopped %u\n", fencepost::ticket::fences_begun() - before);
  } else {
    replace_until_reclaimed(batch);
    std::puts("reclaimed");
    std::fflush(stdout);
    while (interrupt_clock::process() != nullptr) replace_until_reclaimed(reclaimed + 1);
    replace_until_reclaimed(reclaimed + batches * batch);
    std::puts("over");
  }
  over = true;
  for (std::thread& one : readers) one.join();
  return is_broken ? 1 : 0;
}

}  // namespace

int main(int, char** arguments) { return run(arguments[1], std::atol(arguments[2])); }
