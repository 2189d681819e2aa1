// SPDX-License-Identifier: MIT
//
// The table of locks, and what becomes of it in fork(): see lock_table.hpp.
//
// The names of the C library are weak: a program without it has no fork() that would have to be
// told. glibc has __register_atfork in its shared library, musl pthread_atfork, which is in a
// static program only if somebody asks for it by a name that is not weak: FENCEPOST_ATOMIC_LIBC
// does, for a library that is used with a C library always.
//
// The registration runs as a constructor, before those of the libraries that need this one; so in
// fork() their functions run while the locks are free, for the C library calls those that were
// registered last first before a fork, and last after it.
#include <new>

#include "lock_table.hpp"

extern "C" {
[[gnu::weak]] int __register_atfork(void (*before)(), void (*parent)(), void (*child)(),
                                    void* library) noexcept;
#if !defined(FENCEPOST_ATOMIC_LIBC)
[[gnu::weak]]
#endif
int pthread_atfork(void (*before)(), void (*parent)(), void (*child)()) noexcept;
}

namespace fencepost::atomics {

constinit table_type table;

namespace {

signal_set forking_thread_had;

void before_fork() noexcept {
  const signal_set before = block_signals();
  for (guarded_line& line : table.line) line.lock.acquire();
  forking_thread_had = before;  // under the locks: several threads may fork
}

void after_fork_in_parent() noexcept {
  const signal_set before = forking_thread_had;
  for (guarded_line& line : table.line) line.lock.release();
  restore_signals(before);
}

/// No other thread is left here, but the locks may speak of threads that waited.
void after_fork_in_child() noexcept {
  for (guarded_line& line : table.line) ::new (&line.lock) class lock;
  restore_signals(forking_thread_had);
}

[[gnu::constructor(101)]] void tell_the_c_library() noexcept {
  if (__register_atfork != nullptr) {
    __register_atfork(before_fork, after_fork_in_parent, after_fork_in_child, nullptr);
    return;
  }
#if !defined(FENCEPOST_ATOMIC_LIBC)
  if (pthread_atfork == nullptr) return;
#endif
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

}  // namespace

}  // namespace fencepost::atomics
