// SPDX-License-Identifier: MIT
// Rust's Arc::get_mut: alone at last, but not after the others.
// https://github.com/rust-lang/rust/issues/51780
// https://github.com/rust-lang/rust/pull/52031
//
// Dropping a reference is a release decrement. get_mut hands out the contents for writing if the
// count is 1, and read that in relaxed order: it knows that nobody else holds a reference, but not
// that what they did with theirs happened before. What follows is a data race on any machine, since
// the source is what the compiler reads. It was found in an attempt to prove Arc correct.
//
// case: broken
// expect: all=violated:data-race
//
// case: repaired
// flags: -DREPAIRED
// expect: all=holds
#include <atomic>
#include <cassert>
#include <thread>

struct shared_box {
  std::atomic<int> references{2};
  int contents = 0;
};

shared_box box;

void drop() { box.references.fetch_sub(1, std::memory_order_release); }

int* get_mut() {
#ifdef REPAIRED
  const int references = box.references.load(std::memory_order_acquire);
#else
  const int references = box.references.load(std::memory_order_relaxed);
#endif
  return references == 1 ? &box.contents : nullptr;
}

int main() {
  std::thread reader([] {
    assert(box.contents == 0);
    drop();
  });
  int* contents = nullptr;
  while (contents == nullptr) contents = get_mut();
  *contents = 1;
  reader.join();
}
