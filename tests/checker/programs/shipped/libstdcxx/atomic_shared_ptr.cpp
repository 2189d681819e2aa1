// SPDX-License-Identifier: MIT
// std::atomic<std::shared_ptr> of libstdc++ 12. load() unlocks in relaxed order, so that its read
// of the pointer does not happen before the next store's write: docs/checker/shipped_code.md.
// Unless asked to judge the library as written, the checker takes it to do what the standard says.
//
// case: two_loads
// flags: -DHERE=load -DTHERE=load
// expect: all=holds
//
// case: two_stores
// flags: -DHERE=store -DTHERE=store
// options: --leaks
// expect: all=holds
//
// case: a_load_and_a_store
// flags: -DHERE=load -DTHERE=store
// options: --leaks
// expect: all=holds
//
// case: a_load_and_a_store_as_written
// flags: -DHERE=load -DTHERE=store
// options: --library-as-written
// expect: all=violated:data-race
//
// case: a_failing_compare_exchange_and_a_store
// flags: -DHERE=compare -DTHERE=store
// options: --leaks
// expect: all=holds
//
// case: a_failing_compare_exchange_and_a_store_as_written
// flags: -DHERE=compare -DTHERE=store
// options: --library-as-written
// expect: all=violated:data-race
//
// case: store_buffering
// flags: -DBUFFERED
// expect: all=holds
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

std::atomic<std::shared_ptr<int>> shared{std::make_shared<int>(1)};

void load() {
  const std::shared_ptr<int> mine = shared.load();
  assert(*mine > 0);
}

void store() { shared.store(std::make_shared<int>(2)); }

void compare() {
  std::shared_ptr<int> expected;
  const bool exchanged = shared.compare_exchange_strong(
      expected, nullptr, std::memory_order_acq_rel, std::memory_order_relaxed);
  assert(!exchanged);
}

#ifdef BUFFERED
int main() {
  std::atomic<std::shared_ptr<int>> first;
  std::atomic<std::shared_ptr<int>> second;
  bool found = false;
  std::thread other([&] {
    second.store(std::make_shared<int>(1));
    found = first.load() != nullptr;
  });
  first.store(std::make_shared<int>(1));
  const bool found_here = second.load() != nullptr;
  other.join();
  assert(found || found_here);
}
#else
int main() {
  std::thread other([] { THERE(); });
  HERE();
  other.join();
  load();
  shared.store(nullptr);
}
#endif
