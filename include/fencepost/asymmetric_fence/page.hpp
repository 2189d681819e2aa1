// SPDX-License-Identifier: MIT
//
// A heavy fence without membarrier: a page that was written to is taken away from the process.
// Before mprotect() returns, every processor that runs a thread of the process must have forgotten
// the page's address. On x86 it is interrupted for that, and an interrupt is a full fence.
//
// What this rests on, and therefore is asked before it is believed:
// * The page must have been touched. One that was not has no address to forget: nobody is
//   interrupted, the call is quick, and nothing is ordered.
// * x86-64, by Intel or AMD. AArch64 tells other processors by a broadcast that interrupts nobody;
//   so does x86 with INVLPGB, which Linux uses on AMD since 6.15. An emulator does what it likes;
//   those that say that they are one are recognised.
// * A kernel before 7.0: no other way of telling processors is known of in those.
//
// The order: a full fence, the touch, and the taking away. Should the kernel move the page in
// between, whoever does it interrupts the processors, too, and then everything before the fence is
// visible already. One at a time, for between touch and taking away the page must be there; signals
// are blocked meanwhile, so that a handler may have a heavy fence of its own.
#pragma once

#if defined(__x86_64__) && !defined(FENCEPOST_CHECK)
#define FENCEPOST_PAGE_BARRIER 1
#endif

#if defined(FENCEPOST_PAGE_BARRIER)
#include <cpuid.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstring>

#include "fencepost/asymmetric_fence/kernel_version.hpp"
#include "fencepost/detail/kernel.hpp"
#endif

namespace fencepost::asymmetric::page {

#if defined(FENCEPOST_PAGE_BARRIER)

inline constexpr std::size_t size = 4096;

/// What a processor or an emulator calls itself: three registers of cpuid, in this order.
inline bool is_called(const char* name, unsigned first, unsigned second, unsigned third) noexcept {
  const unsigned registers[] = {first, second, third};
  return std::memcmp(registers, name, sizeof registers) == 0;
}

/// Whether processors are known to be interrupted here when a page is taken away.
inline bool interrupts() noexcept {
  if (!kernel_is_before(7, 0)) return false;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(0, &a, &b, &c, &d) == 0) return false;
  const bool is_intel = is_called("GenuineIntel", b, d, c);
  if (!is_intel && !is_called("AuthenticAMD", b, d, c)) return false;
  constexpr unsigned invlpgb = 1U << 3;
  if (__get_cpuid(0x80000008, &a, &b, &c, &d) != 0 && (b & invlpgb) != 0) return false;
  constexpr unsigned hypervisor = 1U << 31;
  __get_cpuid(1, &a, &b, &c, &d);
  if ((c & hypervisor) == 0) return true;
  __cpuid(0x40000000, a, b, c, d);
  return !is_called("TCGTCGTCGTCG", b, c, d) && !is_called("FEXIFEXIEMU", b, c, d);
}

/// A page that nobody may access; null if there is none to be had.
inline char* mapped() noexcept {
  const long at =
      kernel::call(SYS_mmap, nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1L, 0L);
  return at < 0 ? nullptr : reinterpret_cast<char*>(at);
}

/// Lends the page, touches it and takes it away.
inline bool take_away(char* page) noexcept {
  // seq_cst: what precedes is visible before the page can be missed by anybody.
  // Proof: none; programs are not checked with this strategy.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (kernel::call(SYS_mprotect, page, size, PROT_READ | PROT_WRITE) != 0) return false;
  *static_cast<volatile char*>(page) = 1;
  return kernel::call(SYS_mprotect, page, size, PROT_NONE) == 0;
}

/// Whether it can be done, with a page of its own.
inline bool tried() noexcept {
  char* const page = interrupts() ? mapped() : nullptr;
  if (page == nullptr) return false;
  const bool works = take_away(page);
  kernel::call(SYS_munmap, page, size);
  return works;
}

struct shared_page {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  char* page = nullptr;
  bool in_forks = false;
};
// One for the whole program, also where its parts hide their symbols.
[[gnu::visibility("default")]] inline constinit shared_page shared{};

/// Has the shared page to itself, and no signal.
class held {
 public:
  held() noexcept {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    ::pthread_mutex_lock(&shared.mutex);
  }
  held(const held&) = delete;
  held& operator=(const held&) = delete;
  ~held() {
    ::pthread_mutex_unlock(&shared.mutex);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_;
};

/// In the child of fork(): whoever held the page is not there.
inline void after_fork() noexcept { shared.mutex = PTHREAD_MUTEX_INITIALIZER; }

/// Has the page made, if it is not there and can be of use.
inline bool make() noexcept {
  if (!interrupts()) return false;
  const held now;
  if (!shared.in_forks) shared.in_forks = ::pthread_atfork(nullptr, nullptr, after_fork) == 0;
  if (shared.in_forks && shared.page == nullptr) shared.page = mapped();
  return shared.in_forks && shared.page != nullptr;
}

/// The heavy fence. False: there was none.
inline bool barrier() noexcept {
  const held now;
  return shared.page != nullptr && take_away(shared.page);
}

#else

inline bool tried() noexcept { return false; }
inline bool make() noexcept { return false; }
inline bool barrier() noexcept { return false; }

#endif

}  // namespace fencepost::asymmetric::page

#undef FENCEPOST_PAGE_BARRIER
