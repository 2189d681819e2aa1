// SPDX-License-Identifier: MIT
// What else std::atomic holds: pointers, enumerations, small structures, floating point, and a
// reference to an object that is otherwise plain.
//
// case: every_type
// expect: all=holds
//
// case: atomic_ref_beside_plain_access
// flags: -DMIXED
// expect: all=violated:data-race at=race
#include <atomic>
#include <cassert>
#include <thread>

enum class color : unsigned char { red, green };
struct point {
  short x;
  short y;
};

std::atomic<color> paint{color::red};
std::atomic<point> where{point{0, 0}};
std::atomic<double> total{0.0};
int cells[4] = {};
std::atomic<int*> cursor{cells};
alignas(std::atomic_ref<int>::required_alignment) int plain = 0;

int main() {
  std::thread worker([] {
    paint.store(color::green, std::memory_order_relaxed);
    where.store(point{1, 1}, std::memory_order_relaxed);
    total.fetch_add(0.5, std::memory_order_relaxed);
    cursor.fetch_add(1, std::memory_order_relaxed);
    std::atomic_ref<int>(plain).fetch_add(1, std::memory_order_relaxed);  // @race
  });
  const point seen = where.load(std::memory_order_relaxed);
  assert(seen.x == seen.y);
#ifdef MIXED
  plain++;  // @race
#else
  std::atomic_ref<int>(plain).fetch_add(1, std::memory_order_relaxed);
#endif
  worker.join();
  assert(plain == 2);
  assert(paint.load() == color::green);
  assert(total.load() == 0.5);
  assert(cursor.load() == cells + 1);
}
