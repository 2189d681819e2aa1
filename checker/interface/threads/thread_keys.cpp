// SPDX-License-Identifier: MIT
// What POSIX threads keep for each thread by a key, and its destructors.
#include <errno.h>
#include <pthread.h>

#include <cstring>

#include "execution/execution.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/threads/threads.hpp"
#include "sync/joining.hpp"

namespace checker = fencepost::checker;
using checker::execution;

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
      const void* value = execution.current->keys[k];
      if (value == nullptr) continue;
      execution.current->keys[k] = nullptr;  // as in glibc, of those without a destructor, too
      if (keys[k].destructor == nullptr) continue;
      keys[k].destructor(const_cast<void*>(value));
      any = true;
    }
    if (!any) return;
  }
}

// Keys are no events: who comes first of several threads is not explored.
void note_change() {
  execution.current->effect();
  if (checker::beside_others()) execution.counters.keys_in_one_order = 1;
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
  execution.unsupported(FENCEPOST_PC(), "the program has more than %u keys (pthread_key_create)",
                        checker::kMaxKeys);
}
int pthread_key_delete(pthread_key_t key) {
  if (key >= checker::kMaxKeys || !keys[key].used) return EINVAL;
  keys[key] = {};
  if (checker::exploring()) {
    // Whoever asks for its values gets none, also of a new key that has its number.
    for (unsigned i = 0; i < execution.thread_count; ++i) execution.threads[i].keys[key] = nullptr;
    note_change();
  }
  return 0;
}
void* pthread_getspecific(pthread_key_t key) {
  if (!checker::exploring() || key >= checker::kMaxKeys || !execution.current->keys_used)
    return nullptr;
  return const_cast<void*>(execution.current->keys[key]);
}
int pthread_setspecific(pthread_key_t key, const void* value) {
  if (!checker::exploring() || key >= checker::kMaxKeys || !keys[key].used) return EINVAL;
  if (!execution.current->keys_used) {
    execution.current->keys_used = true;
    execution.key_destructors = run_key_destructors;
    std::memset(execution.current->keys, 0, sizeof execution.current->keys);
  }
  execution.current->keys[key] = value;
  execution.current->effect();
  return 0;
}

}  // extern "C"
