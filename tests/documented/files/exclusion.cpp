// SPDX-License-Identifier: MIT
// Who holds the lock is alone.
#include <cassert>
#include <thread>

#include "../../include/my_lock.hpp"

static my_lock lock;
static int count;

static void work() {
  lock.lock();
  ++count;
  lock.unlock();
}

int main() {
  std::thread one(work);
  std::thread other(work);
  one.join();
  other.join();
  assert(count == 2);
}
