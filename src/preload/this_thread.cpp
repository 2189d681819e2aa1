// SPDX-License-Identifier: MIT
#include "this_thread.hpp"

#include <pthread.h>

#include "c_library/kernel_number.hpp"

namespace fencepost::preload {

namespace {

// relaxed: each thread takes a number that no other has, and orders nothing by it.
constinit std::atomic<std::uint32_t> named{0};

thread_name upper_half() noexcept { return thread_name{kernel_number()} << 32; }

void rename_in_child() noexcept {
  const thread_name before = own_name.load(std::memory_order_relaxed);
  if (before == nobody) return;
  own_name.store(upper_half() | static_cast<std::uint32_t>(before), std::memory_order_relaxed);
}

[[gnu::constructor]] void know_forks() noexcept {
  ::pthread_atfork(nullptr, nullptr, rename_in_child);
}

}  // namespace

[[gnu::noinline, gnu::cold]] thread_name name_this_thread() noexcept {
  const thread_name made = upper_half() | (named.fetch_add(1, std::memory_order_relaxed) + 1);
  thread_name before = nobody;
  // Where a signal handler has named the thread meanwhile, that is its name.
  return own_name.compare_exchange_strong(before, made, std::memory_order_relaxed) ? made : before;
}

}  // namespace fencepost::preload
