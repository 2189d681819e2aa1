// SPDX-License-Identifier: MIT
//
// A process for asymmetric_fence_test to start, with the kernel's membarrier or without.
//
//     asymmetric_fence_process strategy            prints the strategies in force
//     asymmetric_fence_process litmus ROUNDS       store buffering between a light and a heavy side
//     asymmetric_fence_process forbid              the same after it had used membarrier
//     asymmetric_fence_process without WHAT        starts itself again where membarrier is
//     forbidden
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "fencepost/asymmetric_fence.hpp"

namespace {

using fencepost::asymmetric_strategy;

const char* name(asymmetric_strategy s) {
  switch (s) {
    case asymmetric_strategy::undecided:
      return "undecided";
    case asymmetric_strategy::membarrier:
      return "membarrier";
    case asymmetric_strategy::retreating:
      return "retreating";
    case asymmetric_strategy::full_fences:
      return "full_fences";
  }
  return "?";
}

struct alignas(64) line {
  std::atomic<unsigned> value{0};
};

line x;
line y;
std::array<line, 32> dirty;

/// Whether in some round both sides missed the other's store. The lines dirtied by the other thread
/// delay the store behind them in the store buffer.
unsigned litmus(unsigned rounds) {
  constexpr auto relaxed = std::memory_order_relaxed;
  std::atomic<unsigned> started{0};
  std::atomic<unsigned> ended{0};
  unsigned light_saw = 0;
  unsigned heavy_saw = 0;
  unsigned violations = 0;
  std::thread light([&] {
    for (unsigned round = 1; round <= rounds; ++round) {
      while (started.load(std::memory_order_acquire) < round) std::this_thread::yield();
      for (line& l : dirty) l.value.store(round, relaxed);
      x.value.store(round, relaxed);
      fencepost::asymmetric_thread_fence_light();
      light_saw = y.value.load(relaxed);
      ended.store(round, std::memory_order_release);
    }
  });
  for (unsigned round = 1; round <= rounds; ++round) {
    for (line& l : dirty) l.value.store(~round, relaxed);
    started.store(round, std::memory_order_release);
    for (unsigned pause = round % 64; pause != 0; --pause)
      std::atomic_signal_fence(std::memory_order_seq_cst);
    y.value.store(round, relaxed);
    fencepost::asymmetric_thread_fence_heavy();
    heavy_saw = x.value.load(relaxed);
    while (ended.load(std::memory_order_acquire) < round) std::this_thread::yield();
    if (light_saw != round && heavy_saw != round) ++violations;
  }
  light.join();
  return violations;
}

bool forbid_membarrier() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 38),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{std::size(code), code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

void print() {
  std::printf("%s %s\n", name(fencepost::asymmetric_fence_strategy()),
              name(fencepost::interprocess_asymmetric_fence_strategy()));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 && std::strcmp(argv[1], "litmus") == 0) {
    std::printf("%u\n", litmus(static_cast<unsigned>(std::atoi(argv[2]))));
  } else if (argc > 1 && std::strcmp(argv[1], "strategy") == 0) {
    print();
  } else if (argc > 1 && std::strcmp(argv[1], "without") == 0) {
    // As a sandbox would: the filter stands before the program starts, with an errno of its own.
    if (!forbid_membarrier()) return 77;
    execv("/proc/self/exe", argv + 1);
    return 1;
  } else if (argc > 1 && std::strcmp(argv[1], "forbid") == 0) {
    print();
    if (!forbid_membarrier()) return 77;
    fencepost::asymmetric_thread_fence_heavy();
    const bool reached = fencepost::interprocess_asymmetric_thread_fence_heavy();
    print();
    std::printf("%s\n", reached ? "reached" : "not reached");
    std::printf("%u\n", litmus(10000));
  } else {
    return 2;
  }
  return 0;
}
