// SPDX-License-Identifier: MIT
// std::atomic_load and its kin of a std::shared_ptr: each is one step, which shows what was written
// before the pointer was stored. They are atomic with each other, and with nothing else.
//
// case: load_and_store
// flags: -DTHERE="std::atomic_store(&shared,made(2))" -DHERE="seen=std::atomic_load(&shared)"
// flags: -DAFTER="*seen==1||*seen==2"
// expect: all=holds executions=2
//
// case: load_and_store_by_clang
// flags: -DTHERE="std::atomic_store(&shared,made(2))" -DHERE="seen=std::atomic_load(&shared)"
// flags: -DAFTER="*seen==1||*seen==2"
// options: --cc clang-14
// expect: all=holds executions=2
//
// case: may_be_seen
// flags: -DTHERE="std::atomic_store(&shared,made(2))" -DHERE="seen=std::atomic_load(&shared)"
// flags: -DAFTER="*seen==1"
// expect: all=violated:assertion
//
// case: exchanged
// flags: -DTHERE="std::atomic_exchange(&shared,made(2))" -DHERE="std::atomic_store(&shared,made(3))"
// flags: -DAFTER="*shared==2||*shared==3"
// expect: all=holds
//
// case: one_of_two_compare_exchanges
// flags: -DTHERE="swap(2)" -DHERE="swap(3)" -DAFTER="swapped==1"
// expect: all=holds
//
// case: a_plain_copy
// flags: -DTHERE="std::atomic_store(&shared,made(2))" -DHERE="seen=shared" -DAFTER="seen"
// expect: all=data-race
//
// case: another_pointer_orders_nothing
// flags: -DTHERE="plain=1;std::atomic_store(&shared,made(2))"
// flags: -DHERE="std::atomic_load(&other);plain=2" -DAFTER="plain"
// expect: all=data-race
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

static std::shared_ptr<int> shared = std::make_shared<int>(1);
static std::shared_ptr<int> other = std::make_shared<int>(1);
static std::shared_ptr<int> seen;
static std::atomic<int> swapped;
static int plain;

[[maybe_unused]] static std::shared_ptr<int> made(int value) {
  return std::make_shared<int>(value);
}

[[maybe_unused]] static void swap(int value) {
  static const std::shared_ptr<int> first = shared;
  std::shared_ptr<int> expected = first;
  swapped += std::atomic_compare_exchange_strong(&shared, &expected, made(value)) ? 1 : 0;
}

int main() {
  std::thread thread([] { THERE; });
  HERE;
  thread.join();
  assert(AFTER);
}
