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
#include <array>
#include <atomic>
#include <cassert>
#include <functional>
#include <thread>

#ifndef READERS
#define READERS 1
#endif

struct object {
  int value;
};

std::atomic<object*> shared{nullptr};
std::array<std::atomic<object*>, READERS> hazards{};

void heavy_fence() {
#ifndef NO_FENCE
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

void use(std::atomic<object*>& hazard) {
  object* seen = shared.load(std::memory_order_acquire);
  if (seen == nullptr) return;
  hazard.store(seen, std::memory_order_release);
  heavy_fence();
  if (shared.load(std::memory_order_acquire) == seen) {
    assert(seen->value == 5);  // @touch
  }
  hazard.store(nullptr, std::memory_order_release);
}

void take_away() {
  object* const old = shared.exchange(nullptr, std::memory_order_relaxed);
  heavy_fence();
  bool in_use = false;
  for (const auto& hazard : hazards) {
    in_use = in_use || hazard.load(std::memory_order_acquire) != nullptr;
  }
  if (!in_use) delete old;  // @touch
}

int main() {
  shared.store(new object{5}, std::memory_order_relaxed);
  std::array<std::thread, READERS> readers;
  for (int i = 0; i < READERS; i++) readers[i] = std::thread(use, std::ref(hazards[i]));
  std::thread remover(take_away);
  for (std::thread& reader : readers) reader.join();
  remover.join();
}
