// SPDX-License-Identifier: MIT
//
// Elements come out of the ring for many producers and consumers once each, those of one producer
// in its order, none is lost, and no element is touched by two threads at once: elements are plain
// memory, for which any race would be found. Nobody waits; cells are used again.
//
// case: one_cell -DCAPACITY=1 -DPRODUCERS=1 -DCONSUMERS=1 -DEACH=2
// case: producers -DCAPACITY=2 -DPRODUCERS=2 -DCONSUMERS=1 -DEACH=1
// case: consumers -DCAPACITY=2 -DPRODUCERS=1 -DCONSUMERS=2 -DEACH=2

#include <cassert>
#include <thread>
#include <vector>

#include "small_rings.hpp"

fencepost::inline_mpmc_ring<int, CAPACITY, never_waiting> ring;

// What each producer pushed, and what each consumer popped, in that order: 10 * producer + n.
int pushed[PRODUCERS] = {};
int popped[CONSUMERS + 1][PRODUCERS * EACH] = {};
int taken[CONSUMERS + 1] = {};

void pop_some(int consumer, int tries) {
  for (; tries != 0; --tries) {
    int element = 0;
    if (ring.try_pop(element)) popped[consumer][taken[consumer]++] = element;
  }
}

int main() {
  std::thread threads[PRODUCERS + CONSUMERS - 1];
  int next = 0;
  for (int p = 0; p != PRODUCERS; ++p) {
    threads[next++] = std::thread([p] {
      for (int n = 0; n != EACH; ++n) {
        if (ring.try_push(10 * p + pushed[p])) ++pushed[p];
      }
    });
  }
  for (int c = 1; c != CONSUMERS; ++c) {
    threads[next++] = std::thread([c] { pop_some(c, 1); });
  }
  pop_some(0, EACH);
  for (std::thread& thread : threads) thread.join();
  pop_some(CONSUMERS, PRODUCERS * EACH);
  for (int p = 0; p != PRODUCERS; ++p) {
    bool seen[EACH] = {};
    int count = 0;
    for (int c = 0; c <= CONSUMERS; ++c) {
      int last = -1;
      for (int n = 0; n != taken[c]; ++n) {
        if (popped[c][n] / 10 != p) continue;
        const int element = popped[c][n] % 10;
        assert(element > last && element < pushed[p] && !seen[element]);
        last = element;
        seen[element] = true;
        ++count;
      }
    }
    assert(count == pushed[p]);
  }
}
