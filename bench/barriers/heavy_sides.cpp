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

void nothing() {}

/// In a thread of many, what another thread's round may begin during.
void sleep_a_while() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

template <void (*heavy)(), void (*rest)()>
void run_bare(store_buffering& found, unsigned long most, seconds longest) {
  found.run(most, longest, compiler_barrier, heavy, rest);
}

void library_heavy() { fencepost::asymmetric_thread_fence_heavy(); }

void run_library(store_buffering& found, unsigned long most, seconds longest) {
  found.run(
      most, longest, [] { fencepost::asymmetric_thread_fence_light(); }, library_heavy, nothing);
}

template <long nanoseconds>
void wait() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(nanoseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

template <asymmetric_strategy strategy>
bool use() {
  return fencepost::use_asymmetric_fence_strategy(strategy);
}

/// A ticket, as it is waited for: by the interrupt clock, or a heavy fence after a while.
void wait_for_ticket() { fencepost::barrier_ticket::begin().wait(); }

/// By who cannot wait for so long.
void wait_for_ticket_a_millisecond() {
  using namespace std::chrono_literals;
  fencepost::barrier_ticket::begin().wait_for(1ms);
}

/// By who disturbs nobody: no fence of this process, but of the ticks.
void wait_for_clock() {
  using namespace std::chrono_literals;
  fencepost::barrier_ticket::begin().wait_for(10s, fencepost::barrier_ticket::no_end);
}

/// The same by the virtual clock, which takes no look at the time.
void wait_for_virtual_clock() {
  const auto* const clock = fencepost::interrupt_clock::process();
  if (clock == nullptr) return fencepost::asymmetric_thread_fence_heavy();
  const auto since = clock->virtual_now();
  const int own = ::sched_getcpu();
  while (!clock->all_passed_virtually(since, own, nullptr))
    std::this_thread::sleep_for(std::chrono::microseconds(50));
}

/// A ticket that asks of the slow side's processor alone, which has always passed.
void wait_for_ticket_of_own_processor() {
  using namespace std::chrono_literals;
  static const cpu_set_t own = [] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
    return one;
  }();
  fencepost::barrier_ticket::begin(&own).wait_for(10s);
}

bool has_clock() {
  return fencepost::light_fence_is_free(fencepost::asymmetric_fence_strategy()) &&
         fencepost::interrupt_clock::process() != nullptr;
}

bool always() { return true; }

template <int command>
void call_membarrier() {
  ::syscall(SYS_membarrier, command, 0, 0);
}

bool register_globally() {
  return use<asymmetric_strategy::private_expedited>() &&
         ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

/// Gives a page, or takes it, that was never written to: no processor knows of it.
void protect_untouched_page() {
  static void* const page = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  static bool is_there = false;
  is_there = !is_there;
  ::mprotect(page, 4096, is_there ? PROT_READ | PROT_WRITE : PROT_NONE);
}

/// Heavy sides that take milliseconds, and what is compared with them.
constexpr unsigned many = 512;

/// A call, whose light fence is the compiler's; of many threads if they `rest` after a round.
template <void (*heavy)(), void (*rest)() = nullptr>
heavy_side ordered_by(const char* name, const char* what, bool is_sound, bool (*prepare)()) {
  constexpr auto after = rest == nullptr ? nothing : rest;
  return {name, what, is_sound, rest == nullptr ? 1 : many, prepare, heavy, run_bare<heavy, after>};
}

heavy_side ordered_by_library(const char* name, const char* what, unsigned threads,
                              bool (*prepare)()) {
  return {name, what, true, threads, prepare, library_heavy, run_library};
}

}  // namespace

std::vector<heavy_side> all_heavy_sides() {
  using enum asymmetric_strategy;
  return {
      ordered_by<nothing>("none", "a full fence of the slow side alone", false, always),
      ordered_by<nothing, sleep_a_while>("none_in_flight", "the same by many threads", false,
                                         always),
      ordered_by<wait<1'000>>("wait_1_us", "a microsecond", false, always),
      ordered_by<wait<10'000>>("wait_10_us", "ten microseconds", false, always),
      ordered_by<protect_untouched_page>("mprotect_untouched",
                                         "mprotect of a page that nobody wrote to", false, always),
      ordered_by<wait_for_ticket_of_own_processor, sleep_a_while>(
          "ticket_of_own_processor", "one that asks of the wrong processor", false, has_clock),
      ordered_by<call_membarrier<MEMBARRIER_CMD_GLOBAL_EXPEDITED>>(
          "bare_global_expedited", "membarrier, which misses threads since Linux 5.10", false,
          register_globally),
      ordered_by<call_membarrier<MEMBARRIER_CMD_PRIVATE_EXPEDITED>>(
          "bare_private_expedited", "membarrier, without the library", true,
          use<private_expedited>),
      ordered_by_library("private_expedited", "membarrier", 1, use<private_expedited>),
      ordered_by_library("global_expedited", "membarrier, where it misses nobody", 1,
                         use<global_expedited>),
      ordered_by_library("global", "membarrier, by waiting", many, use<global>),
      ordered_by_library("mprotect", "a touched page", 1, use<mprotect>),
      ordered_by<wait_for_ticket, nothing>(
          "ticket", "the interrupt clock's, or a heavy fence after 1.2 ms", true, has_clock),
      ordered_by<wait_for_ticket_a_millisecond, nothing>(
          "ticket_1_ms", "the same with a deadline of a millisecond", true, has_clock),
      ordered_by<wait_for_clock, nothing>(
          "ticket_clock_alone", "the interrupt clock's, however long it takes", true, has_clock),
      ordered_by<wait_for_virtual_clock, nothing>("virtual_clock", "its virtual time", true,
                                                  has_clock),
      ordered_by_library("full_fences", "both sides have a full fence", 1, use<full_fences>),
  };
}

}  // namespace bench
