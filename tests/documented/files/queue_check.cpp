// SPDX-License-Identifier: MIT
#include <cassert>
#include <thread>

void push(int value);
bool pop(int& value);

int main() {
  std::thread producer(push, 41);
  int value = 0;
  assert(!pop(value) || value == 42);
  producer.join();
}
