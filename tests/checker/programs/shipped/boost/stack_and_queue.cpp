// SPDX-License-Identifier: MIT
// boost::lockfree::stack and queue of Boost 1.74: nothing is lost, nothing comes twice. With two
// threads that pop there is a data race by the letter, on nodes that are used again:
// docs/checker/shipped_code.md.
//
// case: stack_pushed_and_popped
// flags: -DCONTAINER=stack
// expect: all=holds
//
// case: stack_popped_twice
// flags: -DCONTAINER=stack -DPOPS
// expect: all=violated:data-race
//
// case: queue_pushed_and_popped
// flags: -DCONTAINER=queue
// expect: all=holds
//
// case: queue_popped_twice
// flags: -DCONTAINER=queue -DPOPS
// expect: all=violated:data-race
//
// case: queue_of_fixed_capacity
// flags: -DCONTAINER=queue -DFIXED
// expect: all=holds
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/stack.hpp>
#include <cassert>
#include <thread>

int main() {
#ifdef FIXED
  boost::lockfree::CONTAINER<int, boost::lockfree::capacity<2>> container;
#else
  boost::lockfree::CONTAINER<int> container(2);
#endif
  container.push(1);
  int there = 0;
  std::thread other([&] {
#ifdef POPS
    container.pop(there);
#else
    container.push(2);
#endif
  });
  int here = 0;
  container.pop(here);
  other.join();
  int left = 0;
  container.pop(left);
#ifdef POPS
  assert(here + there == 1 && left == 0);
#else
  assert(here + left == 3);
#endif
}
