// SPDX-License-Identifier: MIT
//
// What is read in a region that a thread opens while it exits, in the destructor of a key, after it
// has been taken out of the list of readers, is not reclaimed before that region is closed; and
// what was done in it comes before the end of who waited for it.
//
// expect: c++20,c++14,x86,sc=holds
// case: locked
// case: region -DREGION
// case: inner -DREGION -DINNER
#include <pthread.h>

#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#include "fencepost/rcu.hpp"

namespace {

int value = 1;
std::atomic<int*> shared{&value};
pthread_key_t key;

void read(void*) {
#ifdef REGION
  const fencepost::rcu_region reading;
#else
  const std::scoped_lock reading(fencepost::rcu_default_domain());
#endif
#ifdef INNER
  { const fencepost::rcu_region inner; }
#endif
  const int* const seen = shared.load(std::memory_order_relaxed);
  assert(seen == nullptr || *seen == 1);
}

}  // namespace

int main() {
  pthread_key_create(&key, read);
  std::thread reader([] {
    pthread_setspecific(key, &key);
    { const fencepost::rcu_region first; }
  });
  shared.store(nullptr, std::memory_order_relaxed);
  fencepost::rcu_synchronize();
  value = 2;
  reader.join();
}
