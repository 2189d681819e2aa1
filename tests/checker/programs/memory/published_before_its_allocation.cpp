// SPDX-License-Identifier: MIT
// The address of a block is published, and whoever finds it does what races with nothing but the
// allocation itself: that does not happen before the access if the publication is relaxed. A real
// allocator writes to the block, and the life of the objects in it has not begun.
//
// case: only_the_reader_writes
// flags: -DWAY=0
// expect: all=violated:data-race at=use says="a plain write races with the allocation"
//
// case: it_writes_another_member
// flags: -DWAY=1
// expect: all=violated:data-race at=use says="races with the allocation"
//
// case: its_members_are_atomic
// flags: -DWAY=2
// expect: all=violated:data-race at=use says="an atomic read races with the allocation"
//
// case: an_atomic_write
// flags: -DWAY=3
// expect: all=violated:data-race at=use says="an atomic write races with the allocation"
//
// case: it_is_only_freed
// flags: -DWAY=4
// expect: all=violated:data-race at=use says="memory is freed"
//
// case: with_clang
// flags: -DWAY=0
// options: --cc clang-14
// expect: all=violated:data-race at=use
//
// case: an_atomic_write_with_clang
// flags: -DWAY=3
// options: --cc clang-14
// expect: all=violated:data-race at=use
//
// case: plain_release
// flags: -DWAY=0 -DORDER=release -DREAD=acquire
// expect: all=holds executions=2
//
// case: another_member_release
// flags: -DWAY=1 -DORDER=release -DREAD=consume
// expect: all=holds executions=2
//
// case: atomic_release
// flags: -DWAY=2 -DORDER=release -DREAD=acquire
// expect: all=holds executions=2
//
// case: atomic_write_by_fences
// flags: -DWAY=3 -DFENCES
// expect: all=holds executions=2
//
// case: freed_release
// flags: -DWAY=4 -DORDER=release -DREAD=acquire
// expect: all=holds executions=2
#include <atomic>
#include <cstdlib>
#include <thread>

#ifndef ORDER
#define ORDER relaxed
#define READ relaxed
#endif
#define NAMED(order) ORDER_NAMED(order)
#define ORDER_NAMED(order) std::memory_order_##order

struct pair {
  int first;
  int second;
};

static std::atomic<pair*> published;

static void fence(std::memory_order order) {
#ifdef FENCES
  std::atomic_thread_fence(order);
#else
  (void)order;
#endif
}

static void use(pair* p) {
#if WAY == 0
  p->first = 1;  // @use
#elif WAY == 1
  p->second = 1;  // @use
#elif WAY == 2
  (void)__atomic_load_n(&p->first, __ATOMIC_ACQUIRE);  // @use
#elif WAY == 3
  __atomic_store_n(&p->first, 2, __ATOMIC_RELAXED);  // @use
#else
  std::free(p);  // @use
#endif
}

int main() {
  std::thread reader([] {
    pair* const p = published.load(NAMED(READ));
    fence(std::memory_order_acquire);
    if (p != nullptr) use(p);
  });
  auto* const made = static_cast<pair*>(std::malloc(sizeof(pair)));
#if WAY == 1
  made->first = 3;
#elif WAY == 2
  __atomic_store_n(&made->first, 1, __ATOMIC_RELAXED);
#endif
  fence(std::memory_order_release);
  published.store(made, NAMED(ORDER));
  reader.join();
}
