// SPDX-License-Identifier: MIT
// Double-checked initialisation: the unlocked look must acquire what the initialiser released.
//
// case: release_acquire
// expect: all=holds
//
// case: relaxed_look
// flags: -DLOOK=relaxed
// expect: all=violated:data-race at=race
//
// case: relaxed_publication
// flags: -DPUBLISH=relaxed
// expect: all=violated:data-race at=race
//
// case: plain_pointer
// flags: -DPLAIN
// expect: all=violated:data-race at=race
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#ifndef LOOK
#define LOOK acquire
#endif
#ifndef PUBLISH
#define PUBLISH release
#endif
#define ORDER_(name) std::memory_order_##name
#define ORDER(name) ORDER_(name)

struct service {
  int port = 0;
};

#ifdef PLAIN
service* instance = nullptr;
service* look() { return instance; }                // @race
void publish(service* fresh) { instance = fresh; }  // @race
#else
std::atomic<service*> instance{nullptr};
service* look() { return instance.load(ORDER(LOOK)); }
void publish(service* fresh) { instance.store(fresh, ORDER(PUBLISH)); }
#endif

std::mutex creation;
int created = 0;

service* get() {
  service* found = look();
  if (found == nullptr) {
    const std::lock_guard<std::mutex> lock(creation);
    found = look();
    if (found == nullptr) {
      found = new service;  // @race
      found->port = 80;     // @race
      created++;
      publish(found);
    }
  }
  return found;
}

int main() {
  auto use = [] { assert(get()->port == 80); };  // @race
  std::thread first(use);
  std::thread second(use);
  first.join();
  second.join();
  assert(created == 1);
  delete get();
}
