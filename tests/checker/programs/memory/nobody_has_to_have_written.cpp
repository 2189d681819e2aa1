// SPDX-License-Identifier: MIT
// What is read has not been written by anybody, or not by code that is watched, and no harm comes
// of it: nothing that the program does depends on what is found there.
//
// case: padding_is_copied
// flags: -DWAY=padding
// expect: all=holds executions=1
//
// case: padding_that_was_cleared_is_compared
// flags: -DWAY=compared
// expect: all=holds executions=1
//
// case: cleared_memory
// flags: -DWAY=cleared
// expect: all=holds executions=1
//
// case: what_was_written_is_what_fresh_memory_holds
// flags: -DWAY=pattern
// expect: all=holds executions=1
//
// case: realloc
// flags: -DWAY=grown
// expect: all=holds executions=1
//
// case: read_for_nothing
// flags: -DWAY=for_nothing
// expect: all=holds executions=1
//
// case: written_by_a_library
// flags: -DWAY=library
// expect: all=holds executions=1
//
// case: discarded_by_a_version
// flags: -DWAY=version
// expect: c++20=holds executions=4
//
// case: copied_by_who_waits
// flags: -DWAY=waits
// expect: all=holds executions=1
//
// case: copied_by_who_sleeps
// flags: -DWAY=sleeps
// expect: c++20=holds
//
// case: handed_over
// flags: -DWAY=handed_over
// expect: c++20=holds
//
// case: padding_with_clang
// flags: -DWAY=padding
// options: --cc clang-14
// expect: all=holds executions=1
//
// case: sleeps_with_clang
// flags: -DWAY=sleeps
// options: --cc clang-14
// expect: c++20=holds
//
// case: padding_without_optimisation
// flags: -O0 -DWAY=waits
// expect: all=holds executions=1
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

struct padded {
  char small;
  long large;
};

static std::atomic<int> flag;

static padded* make() {
  auto* const p = static_cast<padded*>(std::malloc(sizeof(padded)));
  p->small = 'a';
  p->large = 1;
  return p;
}

[[maybe_unused]] static void padding() {
  padded* const to = make();
  *to = *make();
  std::memcpy(to, make(), sizeof(padded));
  const padded local = *to;
  assert(local.small == 'a' && to->large == 1);
}

[[maybe_unused]] static void compared() {
  void* blocks[2];
  for (void*& b : blocks) {
    b = std::memset(std::malloc(sizeof(padded)), 0, sizeof(padded));
    static_cast<padded*>(b)->large = 2;
  }
  assert(std::memcmp(blocks[0], blocks[1], sizeof(padded)) == 0);
}

[[maybe_unused]] static void cleared() {
  auto* const numbers = static_cast<int*>(std::calloc(4, sizeof(int)));
  assert(numbers[2] == 0 && __atomic_load_n(&numbers[3], __ATOMIC_RELAXED) == 0);
}

[[maybe_unused]] static void pattern() {
  auto* const bytes = static_cast<unsigned char*>(std::malloc(8));
  std::memset(bytes, 0xBE, 8);
  assert(bytes[3] == 0xBE);
  auto* const word = static_cast<unsigned*>(std::malloc(4));
  __atomic_store_n(word, 0xBEBEBEBE, __ATOMIC_RELAXED);
  assert(*word == 0xBEBEBEBE);
}

[[maybe_unused]] static void grown() {
  auto* p = static_cast<padded*>(std::realloc(make(), 3 * sizeof(padded)));
  p = static_cast<padded*>(std::realloc(p, 5 * sizeof(padded)));
  assert(p->large == 1);
  p[3].large = 4;
  assert(p[3].large == 4);
}

[[maybe_unused]] static void for_nothing() {
  auto* const p = static_cast<int*>(std::malloc(2 * sizeof(int)));
  volatile int sink = p[0];
  (void)sink;
  (void)__atomic_load_n(&p[1], __ATOMIC_RELAXED);
}

[[maybe_unused]] static void library() {
  std::string text = "a text that is too long to lie in the string itself";
  text += text;
  std::vector<std::optional<padded>> some(3);
  some[1] = padded{'b', 2};
  some.resize(9);
  const std::function<int()> call = [&text] { return static_cast<int>(text.size()); };
  const auto shared = std::make_shared<std::function<int()>>(call);
  const std::function<int()> again = *shared;
  assert(some[1]->large == 2 && again() == 102 && text[60] == text[9]);
}

[[maybe_unused]] static void version() {
  auto* const data = static_cast<int*>(std::malloc(sizeof(int)));
  std::thread writer([data] {
    __atomic_store_n(data, 5, __ATOMIC_RELAXED);
    flag.store(1, std::memory_order_release);
  });
  const int value = __atomic_load_n(data, __ATOMIC_ACQUIRE);
  if (flag.load(std::memory_order_acquire) == 1) {
    assert(__atomic_load_n(data, __ATOMIC_RELAXED) == 5);
  }
  (void)value;
  writer.join();
}

// The copy lies on the stack of a thread that is back where it was in each round.
[[maybe_unused]] static void waits() {
  std::thread waiting([] {
    padded local;
    std::memcpy(&local, make(), sizeof local);
    while (flag.load(std::memory_order_acquire) == 0) {
    }
    assert(local.large == 1);
  });
  flag.store(1, std::memory_order_release);
  waiting.join();
}

[[maybe_unused]] static void sleeps() {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  std::thread sleeper([&] {
    padded local;
    std::memcpy(&local, make(), sizeof local);
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ready; });
    assert(local.small == 'a');
  });
  {
    const std::lock_guard lock(mutex);
    ready = true;
  }
  changed.notify_one();
  sleeper.join();
}

[[maybe_unused]] static void handed_over() {
  std::mutex mutex;
  std::vector<std::unique_ptr<std::function<int()>>> calls;
  std::thread worker([&] {
    const std::lock_guard lock(mutex);
    for (const auto& call : calls) assert((*call)() == 3);
  });
  for (int i = 0; i < 3; ++i) {
    const std::lock_guard lock(mutex);
    calls.push_back(std::make_unique<std::function<int()>>([] { return 3; }));
  }
  worker.join();
}

int main() { WAY(); }
