// SPDX-License-Identifier: MIT
// Another thread reads a local variable while it lives, and says so; the scope ends after that, and
// the thread comes again. It has been told of the end, so nothing races, but the variable is gone.
//
// case: comes_once
// expect: all=holds
//
// case: comes_again
// flags: -DAGAIN
// expect: all=memory at=again
//
// case: comes_again_unoptimised
// flags: -DAGAIN -O0
// expect: all=memory at=again
//
// case: comes_again_by_clang
// flags: -DAGAIN
// options: --cc clang-14
// expect: all=memory at=again
#include <atomic>
#include <thread>

static std::atomic<int*> told{nullptr};
static std::atomic<bool> has_read{false};
static std::atomic<bool> is_gone{false};

static void read(const int* variable) {
  [[maybe_unused]] const volatile int seen = *variable;  // @again
}

[[gnu::noinline]] static void lend() {
  int variable = 1;
  told.store(&variable, std::memory_order_release);
  while (!has_read.load(std::memory_order_acquire)) {
  }
}

int main() {
  std::thread other([] {
    const int* variable = nullptr;
    while ((variable = told.load(std::memory_order_acquire)) == nullptr) {
    }
    read(variable);
    has_read.store(true, std::memory_order_release);
#ifdef AGAIN
    while (!is_gone.load(std::memory_order_acquire)) {
    }
    read(variable);
#endif
  });
  lend();
  is_gone.store(true, std::memory_order_release);
  other.join();
}
