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
  struct alignas(64) OfThread {
    Array<const void*> values;       // by the key's number; of those beyond it has none
    Array<ExitHandler> destructors;  // of thread-local objects; the last is the first
    int cancel_state = 0;
    int cancel_type = 0;
    std::uint64_t blocked_signals = 0;  // bit n - 1: signal n

    void clear();
    void assign(const OfThread& other);
  };
  // All that, but of main alone.
  struct Kept {
    Array<Key> keys;
    Array<struct sigaction> actions;
    OfThread main;
  };

  Array<Key> keys;
  Array<struct sigaction> actions;  // by the number of the signal; beyond them the default

  // Of the thread with that number: to be changed, or only looked at.
  OfThread& use(unsigned id) {
    in_use_ |= std::uint64_t{1} << id;
    return of_[id];
  }
  const OfThread& of(unsigned id) const { return of_[id]; }
  // Has it any, or has it had in this execution? Most threads have not.
  bool is_used(unsigned id) const { return (in_use_ >> id & 1) != 0; }
  // Nobody has a value by this key any more.
  void forget_values(unsigned key);

  // As it is before main is called, so each execution begins.
  void keep_startup() { keep(&startup_); }
  void thread_begins(unsigned id);
  // ... made by another.
  void inherit(unsigned id, unsigned from) {
    const std::uint64_t blocked = is_used(from) ? of(from).blocked_signals : 0;
    if (blocked != 0) use(id).blocked_signals = blocked;
  }
  void keep(Kept* kept) const;
  void resume(const Kept& kept);

 private:
  std::uint64_t in_use_ = 1;  // a bit each
  OfThread of_[kMaxThreads];
  Kept startup_;
};

extern ThreadSpecific thread_specific;

}  // namespace fencepost::checker
