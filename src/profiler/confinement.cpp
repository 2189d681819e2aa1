// SPDX-License-Identifier: MIT
#include "confinement.hpp"

#include <sys/prctl.h>

#include <cstdarg>
#include <cstdlib>

#include "../preload/c_library/exported.hpp"
#include "../preload/c_library/real.hpp"
#include "record/process.hpp"

FENCEPOST_EXPORTED(prctl);

namespace fencepost::profiler {

namespace {

FENCEPOST_REAL(prctl);

/// What a process may still need: entries of each table.
constexpr std::uint32_t few = 16;
constexpr std::uint32_t many = 1024;

template <class Entry>
void make_some_room(table& of, Entry* entries, std::uint32_t more) noexcept {
  const std::uint32_t left = of.capacity - of.used.load(std::memory_order_relaxed);
  make_room(of, entries, more < left ? more : left);
}

}  // namespace

void before_confinement() noexcept {
  // The file is made now, if there is to be one.
  if (this_thread() == nullptr) return;
  const maker mine;
  if (!mine.is_mine()) return;
  header& head = *here.kept.head;
  make_some_room(head.modules, here.kept.modules, few);
  make_some_room(head.sites, here.kept.sites, many);
  make_some_room(head.locks, here.kept.locks, many);
  make_some_room(head.threads, here.kept.threads, few);
  if (here.wants_stacks) make_some_room(head.stacks, here.kept.stacks, many);
  here.is_confined.store(true, std::memory_order_relaxed);
}

void after_confinement(bool has_failed) noexcept {
  if (here.now.load(std::memory_order_acquire) != state::recording) return;
  header& head = *here.kept.head;
  if (has_failed) {
    here.is_confined.store(head.is_confined.load(std::memory_order_relaxed) != 0,
                           std::memory_order_relaxed);
    return;
  }
  head.is_confined.store(1, std::memory_order_relaxed);
  // What is executed finds no directory to record in.
  if (char* const directory = ::secure_getenv("FENCEPOST_PROFILER")) *directory = 0;
}

}  // namespace fencepost::profiler

using namespace fencepost::profiler;

int prctl(int option, ...) noexcept {
  std::va_list list;
  va_start(list, option);
  unsigned long words[4];
  // As many as any option takes; those that this one does not have are what lies there.
  for (unsigned long& word : words) word = va_arg(list, unsigned long);
  va_end(list);
  const auto call = [&]() noexcept {
    return real_prctl(option, words[0], words[1], words[2], words[3]);
  };
  return option == PR_SET_SECCOMP ? confine(call) : call();
}
