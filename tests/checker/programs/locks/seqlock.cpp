// SPDX-License-Identifier: MIT
// A sequence lock with Boehm's fences: READERS retry when the sequence moved under them, as it does
// for each of WRITES.
//
// case: fenced
// expect: all=holds
//
// case: reader_without_its_fence
// flags: -DNO_READER_FENCE
// expect: c++20=violated:assertion x86=holds sc=holds at=torn
//
// case: writer_without_its_fence
// flags: -DNO_WRITER_FENCE
// expect: c++20=violated:assertion x86=holds sc=holds at=torn
//
// case: plain_payload
// flags: -DPLAIN
// expect: all=violated:data-race at=race
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

#ifndef WRITES
#define WRITES 1
#endif
#ifndef READERS
#define READERS 1
#endif

#ifdef PLAIN
struct cell {
  int value = 0;
  void store(int v, std::memory_order) { value = v; }  // @race
  int load(std::memory_order) const { return value; }  // @race
};
#else
using cell = std::atomic<int>;
#endif

std::atomic<unsigned> sequence{0};
cell left{0};
cell right{0};

void write(int value) {
  const unsigned before = sequence.load(std::memory_order_relaxed);
  sequence.store(before + 1, std::memory_order_relaxed);
#ifndef NO_WRITER_FENCE
  std::atomic_thread_fence(std::memory_order_release);
#endif
  left.store(value, std::memory_order_relaxed);
  right.store(value, std::memory_order_relaxed);
  sequence.store(before + 2, std::memory_order_release);
}

void read(int& l, int& r) {
  unsigned before;
  unsigned after;
  do {
    before = sequence.load(std::memory_order_acquire);
    l = left.load(std::memory_order_relaxed);
    r = right.load(std::memory_order_relaxed);
#ifndef NO_READER_FENCE
    std::atomic_thread_fence(std::memory_order_acquire);
#endif
    after = sequence.load(std::memory_order_relaxed);
  } while (before != after || before % 2 != 0);
}

int main() {
  std::thread writer([] {
    for (int i = 1; i <= WRITES; i++) write(i);
  });
  std::array<std::thread, READERS> readers;
  for (std::thread& reader : readers) {
    reader = std::thread([] {
      int l;
      int r;
      read(l, r);
      assert(l == r);  // @torn
    });
  }
  writer.join();
  for (std::thread& reader : readers) reader.join();
}
