// SPDX-License-Identifier: MIT
// What a thread keeps for itself outside its stack and its variables: POSIX's values by key, what
// is called at its end, and whether it may be cancelled.
#pragma once

#include <cstdint>

#include "execution/threads/thread.hpp"
#include "graph/storage.hpp"

namespace fencepost::checker {

// As many as glibc has (PTHREAD_KEYS_MAX).
inline constexpr unsigned kMaxKeys = 1024;

class ThreadSpecific {
 public:
  struct Key {
    bool used;
    void (*destructor)(void*);
  };
  struct OfThread {
    Array<const void*> values;       // by the key's number; of those beyond it has none
    Array<ExitHandler> destructors;  // of thread-local objects; the last is the first
    int cancel_state = 0;
    int cancel_type = 0;

    void clear();
    void assign(const OfThread& other);
  };
  // The keys, and what the main thread has.
  struct Kept {
    Array<Key> keys;
    OfThread main;
  };

  Array<Key> keys;
  OfThread of[kMaxThreads];

  // As it is before main is called, so each execution begins.
  void keep_startup() { keep(&startup_); }
  void thread_begins(unsigned id);
  void keep(Kept* kept) const;
  void resume(const Kept& kept);

 private:
  Kept startup_;
};

extern ThreadSpecific thread_specific;

}  // namespace fencepost::checker
