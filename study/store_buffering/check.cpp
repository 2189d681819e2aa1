// SPDX-License-Identifier: MIT
//
// The store-buffering demonstration and its repairs: can both threads miss the other's store?
// Compiled with
//
//     -DFENCEPOST_PROTOCOL_HEADER='"store_buffering/demonstration.hpp"'
//     -DFENCEPOST_PROTOCOL=fencepost::study::store_buffering::demonstration
#include <pthread.h>

#include <cassert>

#ifdef FENCEPOST_PROTOCOL_HEADER
#include FENCEPOST_PROTOCOL_HEADER
#else
#include "store_buffering/demonstration.hpp"
#define FENCEPOST_PROTOCOL fencepost::study::store_buffering::demonstration
#endif

namespace {

FENCEPOST_PROTOCOL shape;
bool y_seen_by_a, x_seen_by_b;

void* a(void*) {
  y_seen_by_a = shape.y_seen_by_a();
  return nullptr;
}

void* b(void*) {
  x_seen_by_b = shape.x_seen_by_b();
  return nullptr;
}

}  // namespace

int main() {
  pthread_t thread_a, thread_b;
  pthread_create(&thread_a, nullptr, a, nullptr);
  pthread_create(&thread_b, nullptr, b, nullptr);
  pthread_join(thread_a, nullptr);
  pthread_join(thread_b, nullptr);
  assert(y_seen_by_a || x_seen_by_b);
  return 0;
}
