// SPDX-License-Identifier: MIT
// What POSIX keeps: the keys, what is to happen on a signal; and of each thread, outside its stack
// and its variables, values by key, what is called at its end, whether it may be cancelled, and
// which signals it blocks.
#pragma once

#include <signal.h>

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
    std::uint64_t blocked_signals = 0;  // bit n - 1: signal n

    void clear();
    void assign(const OfThread& other);
  };
  // All that; but of the threads that main has made, no more than the signals that they block.
  struct Kept {
    Array<Key> keys;
    Array<struct sigaction> actions;
    OfThread main;
    std::uint64_t blocked_signals[kMaxThreads] = {};
  };

  Array<Key> keys;
  Array<struct sigaction> actions;  // by the number of the signal; beyond them the default
  OfThread of[kMaxThreads];

  // As it is before main is called, so each execution begins.
  void keep_startup() { keep(&startup_); }
  void thread_begins(unsigned id);
  // ... made by another.
  void inherit(unsigned id, unsigned from) { of[id].blocked_signals = of[from].blocked_signals; }
  void keep(Kept* kept) const;
  void resume(const Kept& kept);

 private:
  Kept startup_;
};

extern ThreadSpecific thread_specific;

}  // namespace fencepost::checker
