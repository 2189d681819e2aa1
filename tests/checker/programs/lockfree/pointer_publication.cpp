// SPDX-License-Identifier: MIT
// A new version of a structure is published through a pointer; the old one is retired.
//
// case: release_acquire
// options: --leaks
// expect: all=holds executions=3
//
// case: release_consume
// flags: -DLOAD=consume
// expect: all=holds executions=3
//
// case: published_relaxed
// flags: -DSTORE=relaxed
// expect: all=violated:data-race at=race
//
// case: old_version_deleted_too_early
// flags: -DDELETE_EARLY
// expect: all=violated:memory|data-race at=race says="free|delete"
#include <atomic>
#include <cassert>
#include <thread>

#ifndef STORE
#define STORE release
#endif
#ifndef LOAD
#define LOAD acquire
#endif
#define ORDER_(name) std::memory_order_##name
#define ORDER(name) ORDER_(name)

struct configuration {
  int host;
  int port;
};

std::atomic<configuration*> current{nullptr};

void use() {
  const configuration* seen = current.load(ORDER(LOAD));
  const int host = seen->host;  // @race
  const int port = seen->port;  // @race
  assert(host == port);
}

int main() {
  auto* const old = new configuration{1, 1};
  current.store(old, std::memory_order_relaxed);
  std::thread updater([old] {
    auto* const fresh = new configuration{0, 0};  // @race
    fresh->host = 2;                              // @race
    fresh->port = 2;                              // @race
    current.store(fresh, ORDER(STORE));
#ifdef DELETE_EARLY
    delete old;  // @race
#else
    (void)old;
#endif
  });
  std::thread reader([] {
    use();
    use();
  });
  updater.join();
  reader.join();
  delete current.load();
#ifndef DELETE_EARLY
  delete old;
#endif
}
