// SPDX-License-Identifier: MIT
// What POSIX threads keep for each thread by a key, and its destructors.
#include <errno.h>
#include <pthread.h>

#include <cstring>

#include "interface/c_library/touched.hpp"
#include "interface/threads/threads.hpp"
#include "sync/joining.hpp"

namespace checker = fencepost::checker;
using checker::runtime;

namespace {

struct Key {
  bool used;
  void (*destructor)(void*);
};
// Part of the program's state: it is put back before every execution like its own variables.
Key keys[checker::kMaxKeys];

// Runs after the destructors of thread-local objects.
void run_key_destructors() {
  for (int round = 0; round < 4; ++round) {
    bool any = false;
    for (unsigned k = 0; k < checker::kMaxKeys; ++k) {
      const void* value = runtime.current->keys[k];
      if (value == nullptr) continue;
      runtime.current->keys[k] = nullptr;  // as in glibc, of those without a destructor, too
      if (keys[k].destructor == nullptr) continue;
      keys[k].destructor(const_cast<void*>(value));
      any = true;
    }
    if (!any) return;
  }
}

// Keys are no events: who comes first of several threads is not explored.
void note_change() {
  runtime.current->effect();
  if (checker::beside_others()) runtime.counters.keys_in_one_order = 1;
}

}  // namespace

extern "C" {

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  for (unsigned k = 0; k < checker::kMaxKeys; ++k) {
    if (keys[k].used) continue;
    keys[k] = {true, destructor};
    if (checker::exploring()) note_change();
    checker::writes(key, sizeof *key, FENCEPOST_PC());
    *key = k;
    return 0;
  }
  if (!checker::exploring()) return EAGAIN;
  runtime.unsupported(FENCEPOST_PC(), "the program has more than %u keys (pthread_key_create)",
                      checker::kMaxKeys);
}
int pthread_key_delete(pthread_key_t key) {
  if (key >= checker::kMaxKeys || !keys[key].used) return EINVAL;
  keys[key] = {};
  if (checker::exploring()) {
    // Whoever asks for its values gets none, also of a new key that has its number.
    for (unsigned i = 0; i < runtime.thread_count(); ++i) runtime.thread(i).keys[key] = nullptr;
    note_change();
  }
  return 0;
}
void* pthread_getspecific(pthread_key_t key) {
  if (!checker::exploring() || key >= checker::kMaxKeys || !runtime.current->keys_used)
    return nullptr;
  return const_cast<void*>(runtime.current->keys[key]);
}
int pthread_setspecific(pthread_key_t key, const void* value) {
  if (!checker::exploring() || key >= checker::kMaxKeys || !keys[key].used) return EINVAL;
  if (!runtime.current->keys_used) {
    runtime.current->keys_used = true;
    runtime.key_destructors = run_key_destructors;
    std::memset(runtime.current->keys, 0, sizeof runtime.current->keys);
  }
  runtime.current->keys[key] = value;
  runtime.current->effect();
  return 0;
}

}  // extern "C"
