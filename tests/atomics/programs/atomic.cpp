// SPDX-License-Identifier: MIT
//
// <atomic> as programs use it: threads that count in every size, and one that hands on a structure.
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

constexpr int turns = 2000;

struct triple {
  long a, b, c;
  friend bool operator==(const triple&, const triple&) = default;
};

std::atomic<unsigned char> bytes;
std::atomic<short> shorts;
std::atomic<int> ints;
std::atomic<long> longs;
std::atomic<float> floats;
std::atomic<triple> triples;
std::atomic_flag turn;

void count() {
  for (int n = 0; n != turns; ++n) {
    ++bytes;
    shorts.fetch_sub(1, std::memory_order_relaxed);
    ints.fetch_add(1, std::memory_order_release);
    longs += 3;
    floats.fetch_add(1, std::memory_order_acq_rel);
    triple seen = triples.load(std::memory_order_acquire);
    while (!triples.compare_exchange_weak(seen, {seen.a + 1, seen.b + 2, seen.c + 3})) continue;
    while (turn.test_and_set(std::memory_order_acquire)) continue;
    turn.clear(std::memory_order_release);
  }
}

}  // namespace

int main() {
  std::thread other(count);
  count();
  other.join();
  const bool right = bytes == static_cast<unsigned char>(2 * turns) && shorts == -2 * turns &&
                     ints == 2 * turns && longs == 6 * turns && floats == 2 * turns &&
                     triples.load() == triple{2 * turns, 4 * turns, 6 * turns};
  if (!right) std::fputs("a count is wrong\n", stderr);
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
