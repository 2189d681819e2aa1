// SPDX-License-Identifier: MIT
#include <atomic>

extern "C" int core(int);

static std::atomic<bool> full{false};
static int content;

void push(int value) {
  content = core(value);
  full.store(true, std::memory_order_release);
}

bool pop(int& value) {
  if (!full.load(std::memory_order_acquire)) return false;
  value = content;
  return true;
}
