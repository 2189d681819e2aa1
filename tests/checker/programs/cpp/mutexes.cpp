// SPDX-License-Identifier: MIT
// The standard library's locks.
//
// case: lock_guard
// expect: all=holds executions=2
//
// case: scoped_lock_of_two
// flags: -DSCOPED
// expect: all=holds
//
// case: unique_lock_released_early
// flags: -DUNIQUE
// expect: all=violated:data-race at=race
//
// case: lock_guards_in_opposite_orders
// flags: -DOPPOSITE
// expect: all=violated:deadlock
//
// case: recursive
// flags: -DRECURSIVE
// expect: all=holds executions=2
//
// case: try_lock
// flags: -DTRY
// expect: all=holds executions=3
#include <cassert>
#include <mutex>
#include <thread>

#ifdef RECURSIVE
using mutex_type = std::recursive_mutex;
#else
using mutex_type = std::mutex;
#endif

mutex_type left;
mutex_type right;
int counter = 0;

void add_one([[maybe_unused]] bool second) {
#if defined(SCOPED)
  const std::scoped_lock both(left, right);
  counter++;
#elif defined(UNIQUE)
  std::unique_lock<std::mutex> lock(left);
  counter++;  // @race
  lock.unlock();
  counter++;  // @race
#elif defined(OPPOSITE)
  const std::lock_guard outer(second ? right : left);
  const std::lock_guard inner(second ? left : right);
  counter++;
#elif defined(RECURSIVE)
  const std::lock_guard outer(left);
  const std::lock_guard inner(left);
  counter++;
#elif defined(TRY)
  if (second) {
    const std::unique_lock lock(left, std::try_to_lock);
    if (lock) counter++;
  } else {
    const std::lock_guard lock(left);
    counter++;
  }
#else
  const std::lock_guard<std::mutex> lock(left);
  counter++;
#endif
}

int main() {
  std::thread first(add_one, false);
  std::thread second(add_one, true);
  first.join();
  second.join();
#if !defined(TRY) && !defined(UNIQUE)
  assert(counter == 2);
#endif
}
