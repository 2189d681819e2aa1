// SPDX-License-Identifier: MIT
// std::shared_ptr: the counts are atomic, the pointer itself is not, the last one out deletes.
//
// case: each_thread_its_copy
// options: --leaks
// expect: all=holds executions=8
//
// case: one_pointer_shared_by_both
// flags: -DSHARED
// expect: all=violated:data-race|memory
//
// case: weak_pointer
// flags: -DWEAK
// options: --leaks
// expect: all=holds
//
// case: snapshot_under_a_mutex
// flags: -DSNAPSHOT
// options: --leaks
// expect: all=holds executions=1670
//
// case: cycle
// flags: -DCYCLE
// options: --leaks
// expect: all=violated:memory says="never freed"
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

int deleted = 0;

struct object {
  int value = 1;
  std::shared_ptr<object> other;
  ~object() { deleted++; }
};

int main() {
  auto shared = std::make_shared<object>();
#if defined(SNAPSHOT)
  std::mutex mutex;
  auto newest = std::make_shared<const int>(1);
  const auto read_twice = [&mutex, &newest] {
    for (int i = 0; i < 2; i++) {
      std::unique_lock lock(mutex);
      const auto mine = newest;
      lock.unlock();
      assert(*mine > 0);
    }
  };
  std::thread first(read_twice);
  std::thread second(read_twice);
  for (int i = 2; i < 4; i++) {
    auto next = std::make_shared<const int>(i);
    const std::lock_guard lock(mutex);
    newest = std::move(next);
  }
  first.join();
  second.join();
  assert(*newest == 3);
#elif defined(CYCLE)
  shared->other = shared;
#elif defined(SHARED)
  std::thread reader([&shared] {
    const auto copy = shared;
    if (copy) assert(copy->value == 1);
  });
  shared.reset();
  reader.join();
#elif defined(WEAK)
  std::thread looker([weak = std::weak_ptr<object>(shared)] {
    if (const auto strong = weak.lock()) assert(strong->value == 1);
  });
  shared.reset();
  looker.join();
  assert(deleted == 1);
#else
  std::thread first([copy = shared] { assert(copy->value == 1); });
  std::thread second([copy = shared] { assert(copy->value == 1); });
  shared.reset();
  first.join();
  second.join();
  assert(deleted == 1);
#endif
}
