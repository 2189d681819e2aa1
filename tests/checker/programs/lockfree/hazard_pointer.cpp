// SPDX-License-Identifier: MIT
// A hazard pointer: announce, look again, use; the other side removes, looks, deletes. The
// announcement and the removal are store buffering in disguise.
//
// case: seq_cst_fences
// expect: all=holds
//
// case: release_acquire
// flags: -DNO_FENCE
// expect: c++20=violated:memory|data-race x86=violated:memory|data-race sc=holds at=touch
//   says="free|delete"
#include <atomic>
#include <cassert>
#include <thread>

struct object {
  int value;
};

std::atomic<object*> shared{nullptr};
std::atomic<object*> hazard{nullptr};

void heavy_fence() {
#ifndef NO_FENCE
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

int main() {
  shared.store(new object{5}, std::memory_order_relaxed);
  std::thread reader([] {
    object* seen = shared.load(std::memory_order_acquire);
    if (seen == nullptr) return;
    hazard.store(seen, std::memory_order_release);
    heavy_fence();
    if (shared.load(std::memory_order_acquire) == seen) {
      assert(seen->value == 5);  // @touch
    }
    hazard.store(nullptr, std::memory_order_release);
  });
  std::thread remover([] {
    object* const old = shared.exchange(nullptr, std::memory_order_relaxed);
    heavy_fence();
    if (hazard.load(std::memory_order_acquire) == nullptr) delete old;  // @touch
  });
  reader.join();
  remover.join();
}
