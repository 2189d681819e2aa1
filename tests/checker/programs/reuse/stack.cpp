// SPDX-License-Identifier: MIT
// Treiber's stack that deletes a node only when nobody reads one. A pop that reads the node in
// time, but compares the top when it has already said that it is done, never touches freed memory.
// Yet it may take a new node at the old address for the old one: ABA. It then leaves the stack with
// a node that was popped before.
//
// case: the_same_thread_pushes_again
// expect: all=violated:assertion at=lost
//
// case: another_thread_pushes
// flags: -DANOTHER
// expect: all=violated:assertion at=lost
//
// case: not_looked_for
// options: --no-reuse
// expect: all=holds
//
// case: another_is_not_looked_for
// flags: -DANOTHER
// options: --no-reuse
// expect: all=holds
//
// case: any_of_them
// flags: -DANOTHER
// options: --reuse=all
// expect: all=violated:assertion at=lost
//
// case: several_processes
// flags: -DANOTHER
// options: --jobs=2
// expect: c++20=violated:assertion at=lost
//
// case: stays_until_it_has_compared
// flags: -DSTAYS
// expect: all=holds
//
// case: another_pushes_and_it_stays
// flags: -DSTAYS -DANOTHER
// expect: all=holds
//
// case: a_count_beside_the_pointer
// flags: -DCOUNTED -mcx16
// expect: all=holds
//
// case: a_count_beside_the_pointer_with_clang
// flags: -DCOUNTED -mcx16
// options: --cc clang-14
// expect: c++20=holds
//
// case: with_clang
// options: --cc clang-14
// expect: c++20=violated:assertion at=lost
#include <atomic>
#include <cassert>
#include <thread>

struct node {
  node* next;
};

#ifdef COUNTED
using word = unsigned __int128;
static node* node_of(word w) { return reinterpret_cast<node*>(static_cast<unsigned long>(w)); }
static word next_word(word old, node* n) {
  return ((old >> 64) + 1) << 64 | reinterpret_cast<unsigned long>(n);
}
alignas(16) static word top;
static word load_top() { return __sync_val_compare_and_swap(&top, word{0}, word{0}); }
static bool replace(word& old, node* n) {
  const word found = __sync_val_compare_and_swap(&top, old, next_word(old, n));
  const bool done = found == old;
  old = found;
  return done;
}
#else
using word = node*;
static node* node_of(word w) { return w; }
static std::atomic<node*> top;
static word load_top() { return top.load(); }
static bool replace(word& old, node* n) { return top.compare_exchange_strong(old, n); }
#endif

static std::atomic<int> readers;
static node* last;
static std::atomic<bool> popped;  // the last: it stays out of the stack, and is not deleted

static void push(node* fresh) {
  word old = load_top();
  do {
    fresh->next = node_of(old);
  } while (!replace(old, fresh));
}

// Once, without trying again.
static node* pop() {
  readers.fetch_add(1);
  word old = load_top();
  node* const first = node_of(old);
  node* const next = first == nullptr ? nullptr : first->next;
#ifndef STAYS
  readers.fetch_sub(1);
#endif
  const bool done = first != nullptr && replace(old, next);
#ifdef STAYS
  readers.fetch_sub(1);
#endif
  return done ? first : nullptr;
}

static void renew() {
  node* const first = pop();
  node* const second = pop();
  if (second == last) popped.store(true);
  if (first == nullptr || readers.load() != 0) return;
  delete first;
#ifndef ANOTHER
  push(new node);
#endif
}

int main() {
  last = new node;
  push(last);
  push(new node);
  std::thread slow([] { pop(); });
  std::thread quick(renew);
#ifdef ANOTHER
  push(new node);
#endif
  slow.join();
  quick.join();
  if (popped.load()) assert(node_of(load_top()) != last);  // @lost
}
