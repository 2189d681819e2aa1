// SPDX-License-Identifier: MIT
// What POSIX threads keep for each thread by a key, and its destructors.
#include <errno.h>
#include <pthread.h>

#include "execution/execution.hpp"
#include "interface/c_library/touched.hpp"
#include "interface/threads/threads.hpp"
#include "sync/joining.hpp"

namespace checker = fencepost::checker;
using checker::execution;
using checker::thread_specific;
using OfThread = checker::ThreadSpecific::OfThread;

namespace {

// Of those that have been made and not deleted.
bool is_key(pthread_key_t key) {
  return key < thread_specific.keys.size() && thread_specific.keys[key].used;
}

// Runs after the destructors of thread-local objects.
void run_key_destructors() {
  checker::Array<const void*>& values = checker::own_specific().values;
  for (int round = 0; round < 4; ++round) {
    bool any = false;
    for (unsigned k = 0; k < values.size(); ++k) {
      const void* value = values[k];
      if (value == nullptr) continue;
      values[k] = nullptr;  // as in glibc, of those without a destructor, too
      void (*const destructor)(void*) = thread_specific.keys[k].destructor;
      if (destructor == nullptr) continue;
      destructor(const_cast<void*>(value));
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
  unsigned made = 0;
  while (is_key(made)) ++made;
  if (made == checker::kMaxKeys) return EAGAIN;
  if (made == thread_specific.keys.size()) thread_specific.keys.push_back({});
  thread_specific.keys[made] = {true, destructor};
  if (checker::exploring()) note_change();
  checker::writes(key, sizeof *key, FENCEPOST_PC());
  *key = made;
  return 0;
}
int pthread_key_delete(pthread_key_t key) {
  if (!is_key(key)) return EINVAL;
  thread_specific.keys[key] = {};
  // Whoever asks for its values gets none, also of a new key that has its number.
  thread_specific.forget_values(key);
  if (checker::exploring()) note_change();
  return 0;
}
void* pthread_getspecific(pthread_key_t key) {
  const OfThread& own = checker::own_specific();
  return key < own.values.size() ? const_cast<void*>(own.values[key]) : nullptr;
}
int pthread_setspecific(pthread_key_t key, const void* value) {
  if (!is_key(key)) return EINVAL;
  execution.key_destructors = run_key_destructors;
  OfThread& own = checker::own_specific();
  while (own.values.size() <= key) own.values.push_back(nullptr);
  own.values[key] = value;
  if (checker::exploring()) execution.current->effect();
  return 0;
}

}  // extern "C"
