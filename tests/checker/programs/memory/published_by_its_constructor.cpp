// SPDX-License-Identifier: MIT
// An object is passed by value after its constructor has told its address to others, who write to
// it: while it is copied, where it is, or after its scope, of which clang says nothing. On AArch64
// the argument is the object itself, of which the callee reads another member.
//
// case: told
// flags: -DMAKE=object()
// expect: c++20=violated:data-race|memory
//
// case: told_where_it_is_inlined
// flags: -DINLINED -DMAKE=object()
// expect: c++20=violated:data-race|memory
//
// case: seen_with_clang
// flags: -DMAKE=object()
// options: --cc clang-14
// expect: c++20=data-race|holds at=change
//
// case: seen_with_clang_without_optimisation
// flags: -O0 -DMAKE=object()
// options: --cc clang-14
// expect: c++20=data-race|holds at=change
//
// case: a_member_of_it
// flags: -DMEMBER -DMAKE=object()
// expect: c++20=violated:data-race at=change
//
// case: nobody_is_told
// flags: -DMAKE=object(3)
// expect: c++20=holds executions=1
//
// case: nobody_is_told_by_clang
// flags: -O0 -DMAKE=object(3)
// options: --cc clang-14
// expect: c++20=holds executions=1
#include <pthread.h>

#ifndef INLINED
#define OUT_OF_LINE [[gnu::noinline]]
#else
#define OUT_OF_LINE
#endif

struct object;
static object* published;

struct part {
  OUT_OF_LINE explicit part(long n) : cells{n, n, n, n, n} {}
  long cells[5];
};

struct object {
  OUT_OF_LINE object() : inside(2) { __atomic_store_n(&published, this, __ATOMIC_RELEASE); }
  OUT_OF_LINE explicit object(long n) : inside(n) {}
  part inside;
};

[[gnu::noinline]] static long take(object o) { return o.inside.cells[1]; }
[[gnu::noinline]] static long take(part p) { return p.cells[1]; }

static void* change(void* nothing) {
  if (object* o = __atomic_load_n(&published, __ATOMIC_ACQUIRE)) o->inside.cells[0] = 7;  // @change
  return nothing;
}

int main() {
  pthread_t other;
  pthread_create(&other, nullptr, change, nullptr);
#ifdef MEMBER
  object o = MAKE;
  const bool taken = take(o.inside) != 0;  // @take
#else
  const bool taken = take(MAKE) != 0;  // @take
#endif
  pthread_join(other, nullptr);
  return taken ? 0 : 1;
}
