// SPDX-License-Identifier: MIT
//
// What the library tells `fencepost check` and no compiler can.
//
// The checker sees a program's atomic operations because the compiler announces each of them, and
// its system calls, membarrier among them, because it takes the place of the C library's. One thing
// that the library does is neither: an addition by an x86 instruction without the lock prefix. It
// is called by its name here. Under the checker the name stands for what docs/checker/models.md
// says of it, elsewhere for the instruction.
//
// FENCEPOST_CHECK is defined by `fencepost check` and by nobody else: what is compiled with it can
// only be linked to the checker.
#pragma once

#include "fencepost/language.hpp"

#include <atomic>
#include <cstdint>

#include "fencepost/instrumentation.h"

#if defined(__SANITIZE_THREAD__)
#define FENCEPOST_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FENCEPOST_THREAD_SANITIZER 1
#endif
#endif

#if defined(FENCEPOST_CHECK)
extern "C" {
std::uint32_t fencepost_check_nonatomic_fetch_add32(void* word, std::uint32_t n) noexcept;
std::uint64_t fencepost_check_nonatomic_fetch_add64(void* word, std::uint64_t n) noexcept;
}
#endif

namespace fencepost::instrumentation {

// Is the program being compiled for `fencepost check`?
#if defined(FENCEPOST_CHECK)
inline constexpr bool checking = true;
#else
inline constexpr bool checking = false;
#endif

// The calling thread may wait for ever: a worker that nobody tells to stop. To the checker it is
// then not stuck, and the certificate names it. Elsewhere this does nothing.
inline void daemon() noexcept { fencepost_check_daemon(); }

// Only executions in which the condition holds count: instrumentation.h says what becomes of the
// others. Elsewhere this does nothing, and whoever compiles may not rely on the condition. Not for
// what the program itself must see to: that is an assertion.
[[gnu::always_inline]] inline void assume(bool condition) noexcept {
  fencepost_check_assume(condition);
}

// Has the processor that is compiled for an addition that no interrupt divides though other
// processors may come between its load and its store? Where it has not, nonatomic_fetch_add is
// declared but defined nowhere: ask with `if constexpr`.
#if defined(__x86_64__)
inline constexpr bool has_nonatomic_fetch_add = true;
#else
inline constexpr bool has_nonatomic_fetch_add = false;
#endif

// Adds n to the word, modulo its width, and returns what it held. An acquire load and then a
// release store, not a read-modify-write: what other threads store in between is overwritten, so
// the word must have one writer, or its users must be content with that. But no interrupt falls
// between load and store: every heavy fence of another thread comes either before the whole
// addition or after it, and the addition needs no light fence around it. Cannot fail.
//
// On x86-64 this is `xadd` without lock. Interrupts, and with them the kernel's membarrier, are
// taken between instructions; loads are not reordered with later loads or stores, nor stores with
// earlier ones. Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3A,
// sections 8.1.2.2 and 8.2.2.
#if defined(FENCEPOST_CHECK)

[[gnu::always_inline]] inline std::uint32_t nonatomic_fetch_add(std::atomic<std::uint32_t>& word,
                                                                std::uint32_t n) noexcept {
  return fencepost_check_nonatomic_fetch_add32(&word, n);
}
[[gnu::always_inline]] inline std::uint64_t nonatomic_fetch_add(std::atomic<std::uint64_t>& word,
                                                                std::uint64_t n) noexcept {
  return fencepost_check_nonatomic_fetch_add64(&word, n);
}

#elif defined(__x86_64__) && defined(FENCEPOST_THREAD_SANITIZER)

// ThreadSanitizer does not look into assembly: it is given an operation that it can follow.
inline std::uint32_t nonatomic_fetch_add(std::atomic<std::uint32_t>& word,
                                         std::uint32_t n) noexcept {
  // Proof: none; this is not what programs are checked with.
  return word.fetch_add(n, std::memory_order_acq_rel);
}
inline std::uint64_t nonatomic_fetch_add(std::atomic<std::uint64_t>& word,
                                         std::uint64_t n) noexcept {
  // Proof: none; as above.
  return word.fetch_add(n, std::memory_order_acq_rel);
}

#elif defined(__x86_64__)

[[gnu::always_inline]] inline std::uint32_t nonatomic_fetch_add(std::atomic<std::uint32_t>& word,
                                                                std::uint32_t n) noexcept {
  static_assert(sizeof word == sizeof n);
  // "memory": the compiler moves no access across.
  asm volatile("xaddl %0, %1"
               : "+r"(n), "+m"(*reinterpret_cast<std::uint32_t*>(&word))
               :
               : "cc", "memory");
  return n;
}
[[gnu::always_inline]] inline std::uint64_t nonatomic_fetch_add(std::atomic<std::uint64_t>& word,
                                                                std::uint64_t n) noexcept {
  static_assert(sizeof word == sizeof n);
  asm volatile("xaddq %0, %1"
               : "+r"(n), "+m"(*reinterpret_cast<std::uint64_t*>(&word))
               :
               : "cc", "memory");
  return n;
}

#else

std::uint32_t nonatomic_fetch_add(std::atomic<std::uint32_t>& word, std::uint32_t n) noexcept;
std::uint64_t nonatomic_fetch_add(std::atomic<std::uint64_t>& word, std::uint64_t n) noexcept;

#endif

}  // namespace fencepost::instrumentation

#undef FENCEPOST_THREAD_SANITIZER
