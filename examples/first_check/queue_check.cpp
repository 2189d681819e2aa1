// SPDX-License-Identifier: MIT
// What must hold of the queue: what comes out is what went in, in its order.
#include <cassert>
#include <thread>

#include "queue.hpp"

static queue<int, 2> numbers;

int main() {
  std::thread producer([] {
    for (int i = 1; i <= 3; ++i) {
      while (!numbers.push(i)) {
      }
    }
  });
  for (int i = 1; i <= 3; ++i) {
    std::optional<int> number;
    while (!(number = numbers.pop())) {
    }
    assert(*number == i);
  }
  producer.join();
}
