// SPDX-License-Identifier: MIT
#include "heavy_sides.hpp"

#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fencepost/barrier_ticket.hpp"

namespace bench {

namespace {

using fencepost::asymmetric_strategy;
using seconds = std::chrono::duration<double>;

void compiler_barrier() { std::atomic_signal_fence(std::memory_order_seq_cst); }

/// How long a call takes, in nanoseconds.
template <class Call>
std::uint32_t timed(Call call) {
  const auto before = std::chrono::steady_clock::now();
  call();
  const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - before;
  return static_cast<std::uint32_t>(std::min<long long>(took.count(), UINT32_MAX));
}

template <void (*heavy)()>
void run_bare(store_buffering& found, unsigned long most, seconds longest) {
  found.run(most, longest, compiler_barrier, [] { return timed(heavy); });
}

/// Looking at the clock is a delay, too, and would help those that order nothing.
template <void (*heavy)()>
void run_untimed(store_buffering& found, unsigned long most, seconds longest) {
  found.run(most, longest, compiler_barrier, [] {
    heavy();
    return 0U;
  });
}

void run_library(store_buffering& found, unsigned long most, seconds longest) {
  found.run(
      most, longest, [] { fencepost::asymmetric_thread_fence_light(); },
      [] { return timed([] { fencepost::asymmetric_thread_fence_heavy(); }); });
}

template <asymmetric_strategy strategy>
bool use() {
  return fencepost::use_asymmetric_fence_strategy(strategy);
}

/// A ticket that the interrupt clock redeems: no fence of this process, but of the ticks.
void wait_for_ticket() {
  using namespace std::chrono_literals;
  fencepost::barrier_ticket::begin().wait_for(10s);
}

bool has_clock() {
  return fencepost::light_fence_is_free(fencepost::asymmetric_fence_strategy()) &&
         fencepost::interrupt_clock::process() != nullptr;
}

bool always() { return true; }

void nothing() {}

void call_membarrier() { ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); }

/// Gives a page, or takes it, that was never written to: no processor knows of it.
void protect_untouched_page() {
  static void* const page = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  static bool is_there = false;
  is_there = !is_there;
  ::mprotect(page, 4096, is_there ? PROT_READ | PROT_WRITE : PROT_NONE);
}

}  // namespace

std::vector<heavy_side> all_heavy_sides() {
  using enum asymmetric_strategy;
  return {
      {"none", "a full fence of the slow side alone", false, always, run_untimed<nothing>},
      {"mprotect_untouched", "mprotect of a page that nobody wrote to", false, always,
       run_untimed<protect_untouched_page>},
      {"bare_private_expedited", "the system call, without the library", true,
       use<private_expedited>, run_bare<call_membarrier>},
      {"private_expedited", "membarrier", true, use<private_expedited>, run_library},
      {"global_expedited", "membarrier", true, use<global_expedited>, run_library},
      {"global", "membarrier, by waiting", true, use<global>, run_library},
      {"mprotect", "a touched page", true, use<mprotect>, run_library},
      {"ticket", "the interrupt clock's, where fencepost-barrierd runs", true, has_clock,
       run_bare<wait_for_ticket>},
      {"full_fences", "both sides have a full fence", true, use<full_fences>, run_library},
  };
}

}  // namespace bench
