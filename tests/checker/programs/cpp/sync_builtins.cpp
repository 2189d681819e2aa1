// SPDX-License-Identifier: MIT
// gcc's older builtins where C++ may have them: in templates, in each other's operands, beside
// temporaries that are destroyed after them, with sizes in their names.
//
// case: with_gcc
// expect: all=holds executions=3
//
// case: with_clang
// options: --cc clang-14
// expect: all=holds executions=3
#include <cassert>
#include <memory>
#include <thread>

namespace {

template <typename T>
class Counter {
 public:
  T add(T n) noexcept { return __sync_add_and_fetch(&value_, n); }
  void add_much() {
    __sync_fetch_and_add(&value_, two<int, long>());
    __sync_fetch_and_add(&value_, __sync_fetch_and_add(&value_, 1));
    __sync_fetch_and_add(&value_, *std::make_shared<T>(3));
  }

 private:
  template <typename A, typename B>
  static T two() {
    return 2;
  }
  T value_ = 0;
};

Counter<long> counter;
volatile int word;
int x, y, saw_x, saw_y;

int take() { return __sync_val_compare_and_swap(&word, 0, 1); }

}  // namespace

int main() {
  counter.add_much();
  assert(counter.add(0) == 8 && take() == 0 && take() == 1);
  std::thread other([] {
    __atomic_store_n(&x, 1, __ATOMIC_RELAXED);
    counter.add(2);
    saw_y = __atomic_load_n(&y, __ATOMIC_RELAXED);
  });
  __atomic_store_n(&y, 1, __ATOMIC_RELAXED);
  __sync_fetch_and_add_4(&word, 1);
  saw_x = __atomic_load_n(&x, __ATOMIC_RELAXED);
  other.join();
  assert(saw_x || saw_y);
}
