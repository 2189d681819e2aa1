// SPDX-License-Identifier: MIT
// Nodes that come back from the heap: those of a queue, those behind hazard pointers, and what is
// compared by its address alone.
//
// case: hazard_pointer
// flags: -DHAZARD
// expect: all=holds
//
// case: hazard_pointer_not_looked_at
// flags: -DHAZARD -DBLIND
// expect: all=violated:memory|data-race
//
// case: compared_by_address_alone
// flags: -DADDRESS
// expect: all=violated:assertion at=same
//
// case: address_alone_not_looked_for
// flags: -DADDRESS
// options: --no-reuse
// expect: all=holds
//
// case: marked_in_its_lowest_bit
// flags: -DADDRESS -DMARKED
// expect: all=violated:assertion at=same
//
// case: of_another_size
// flags: -DADDRESS -DSIZE=100
// expect: all=holds
//
// case: what_is_not_compared_stays_away
// flags: -DLOADED
// expect: all=holds
//
// case: asked_for_it_comes_back
// flags: -DLOADED
// options: --reuse
// expect: all=violated:assertion at=loaded
//
// case: queue
// flags: -DQUEUE
// expect: all=holds
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <thread>

#ifndef SIZE
#define SIZE sizeof(long)
#endif

#if defined(HAZARD)

static std::atomic<long*> current;
static std::atomic<long*> hazard;

static void replace() {
  long* old = current.load();
  if (!current.compare_exchange_strong(old, new long(2))) std::abort();
#ifndef BLIND
  if (hazard.load() == old) return;
#endif
  delete old;
  long* second = current.load();
  if (!current.compare_exchange_strong(second, new long(3))) std::abort();
}

static void read() {
  long* const p = current.load();
  hazard.store(p);
  if (current.load() != p) return;
  assert(*p >= 1 && *p <= 3);
}

int main() {
  current.store(new long(1));
  std::thread writer(replace);
  read();
  writer.join();
}

#elif defined(ADDRESS)

// Whoever has read `version` trusts it as long as the address is the same.
static std::atomic<std::uintptr_t> current;
static std::atomic<int> version;
#ifdef MARKED
constexpr std::uintptr_t mark = 1;
#else
constexpr std::uintptr_t mark = 0;
#endif

static std::uintptr_t make(std::size_t size) {
  return reinterpret_cast<std::uintptr_t>(std::malloc(size)) | mark;
}

int main() {
  current.store(make(sizeof(long)));
  std::thread other([] {
    const std::uintptr_t old = current.exchange(0);
    version.store(1);
    std::free(reinterpret_cast<void*>(old & ~mark));
    current.store(make(SIZE));
  });
  std::uintptr_t seen = current.load();
  const int before = version.load();
  if (seen != 0 && before == 0 && current.load() == seen && version.load() == 1) {
    assert(!current.compare_exchange_strong(seen, 0) || seen == 0);  // @same
  }
  other.join();
}

#elif defined(LOADED)

// The address is compared by a branch of the program alone.
static std::atomic<long*> current;

int main() {
  current.store(new long(1));
  std::thread other([] {
    delete current.exchange(nullptr);
    current.store(new long(2));
  });
  long* const first = current.load();
  const bool gone = current.load() == nullptr;
  if (first != nullptr && gone) assert(current.load() != first);  // @loaded
  other.join();
}

#elif defined(QUEUE)

// Michael and Scott's, with one that takes out, who deletes what nobody else can come to.
struct node {
  std::atomic<node*> next;
  int value;
};
static std::atomic<node*> tail;
static node* head;

static void put(int value) {
  node* const fresh = new node{nullptr, value};
  node* const before = tail.exchange(fresh);
  node* none = nullptr;
  if (!before->next.compare_exchange_strong(none, fresh)) std::abort();
}

static int take() {
  node* const next = head->next.load();
  if (next == nullptr) return 0;
  const int value = next->value;
  node* old = head;
  if (!tail.compare_exchange_strong(old, old)) delete head;
  head = next;
  return value;
}

int main() {
  head = new node{nullptr, 0};
  tail.store(head);
  std::thread first([] {
    put(1);
    put(2);
  });
  const int one = take();
  put(4);
  const int two = take();
  assert(one != two || one == 0);
  first.join();
  int sum = one + two;
  while (const int more = take()) sum += more;
  assert(sum == 7);
}

#endif
