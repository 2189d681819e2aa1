// SPDX-License-Identifier: MIT
// std::atomic<std::shared_ptr> of libstdc++ 12. load() unlocks in relaxed order, so that its read
// of the pointer does not happen before the next store's write: docs/shipped_code.md.
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
// expect: all=violated:data-race
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

int main() {
  std::thread other([] { THERE(); });
  HERE();
  other.join();
  load();
  shared.store(nullptr);
}
