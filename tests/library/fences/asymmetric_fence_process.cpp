// SPDX-License-Identifier: MIT
//
// A process for asymmetric_fence_test to start, with the calls of its strategies or without.
//
//     asymmetric_fence_process strategy            prints the strategies in force
//     asymmetric_fence_process early               those before and after a static initialiser
//     asymmetric_fence_process litmus ROUNDS       store buffering between a light and a heavy side
//     asymmetric_fence_process use NAME            puts that one in force, then the litmus
//     asymmetric_fence_process change              full fences in force in the midst of the litmus
//     asymmetric_fence_process fork                forks under threads that execute heavy fences
//     asymmetric_fence_process take_over           whether heavy fences interrupt a thread that
//                                                  follows, on its processor, one that has ended
//     asymmetric_fence_process forbid WHAT HOW     a sandbox after fences were used, then the
//                                                  litmus
//     asymmetric_fence_process prepared            the same for one that kills, announced before
//     asymmetric_fence_process without WHAT HOW …  starts itself again in such a sandbox
//     asymmetric_fence_process thread WHAT HOW     one thread alone enters it, and asks for another
//                                                  strategy there
//     asymmetric_fence_process old …               starts itself again as under setarch --uname-2.6
//
// WHAT: membarrier, or all, which is taking pages away, too. HOW: kill, trap or an error's number.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

#include "fencepost/asymmetric_fence.hpp"

// The address sanitizer looks for leaks in the end, with calls that a sandbox forbids.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

namespace {

using fencepost::asymmetric_strategy;

struct alignas(64) line {
  std::atomic<unsigned> value{0};
};

line x;
line y;
std::array<line, 32> dirty;

/// Puts the calling thread on one of two processors, where there are two.
void pin(unsigned which) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) return;
  for (int cpu = 0; cpu != CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || which-- != 0) continue;
    CPU_ZERO(&allowed);
    CPU_SET(cpu, &allowed);
    pthread_setaffinity_np(pthread_self(), sizeof allowed, &allowed);
    return;
  }
}

/// Waits for a thread that is likely to be on another processor.
template <class Condition>
void wait_until(Condition condition) {
  for (unsigned turn = 1; !condition(); ++turn) {
    if (turn % 4096 == 0) std::this_thread::yield();
  }
}

/// In how many rounds both sides missed the other's store. The lines dirtied by the other thread
/// delay the store behind them in the store buffer. `half_way` is called by a thread of its own.
unsigned litmus(unsigned rounds, void (*half_way)() = nullptr) {
  constexpr auto relaxed = std::memory_order_relaxed;
  std::atomic<unsigned> started{0};
  std::atomic<unsigned> ended{0};
  unsigned light_saw = 0;
  unsigned heavy_saw = 0;
  unsigned violations = 0;
  std::atomic<bool> is_half_way{false};
  std::thread light([&] {
    pin(0);
    for (unsigned round = 1; round <= rounds; ++round) {
      wait_until([&] { return started.load(std::memory_order_acquire) == round; });
      for (line& l : dirty) l.value.store(round, relaxed);
      x.value.store(round, relaxed);
      fencepost::asymmetric_thread_fence_light();
      light_saw = y.value.load(relaxed);
      ended.store(round, std::memory_order_release);
    }
  });
  std::thread heavy([&] {
    pin(1);
    for (unsigned round = 1; round <= rounds; ++round) {
      for (line& l : dirty) l.value.store(~round, relaxed);
      started.store(round, std::memory_order_release);
      for (unsigned pause = round % 64; pause != 0; --pause)
        std::atomic_signal_fence(std::memory_order_seq_cst);
      y.value.store(round, relaxed);
      fencepost::asymmetric_thread_fence_heavy();
      heavy_saw = x.value.load(relaxed);
      wait_until([&] { return ended.load(std::memory_order_acquire) == round; });
      if (light_saw != round && heavy_saw != round) ++violations;
      if (round == rounds / 2) {
        is_half_way = true;
        is_half_way.notify_one();
      }
    }
  });
  if (half_way != nullptr) {
    is_half_way.wait(false);
    half_way();
  }
  light.join();
  heavy.join();
  return violations;
}

void print_litmus(unsigned rounds, void (*half_way)() = nullptr) {
  std::printf("%u\n", litmus(rounds, half_way));
}

/// Has the kernel refuse the calls from now on, in this way. False where it cannot.
bool forbid(const char* what, const char* how) {
  const bool all = std::strcmp(what, "all") == 0;
  const auto error = static_cast<unsigned>(std::atoi(how)) & SECCOMP_RET_DATA;
  const unsigned answer = std::strcmp(how, "kill") == 0   ? SECCOMP_RET_KILL_PROCESS
                          : std::strcmp(how, "trap") == 0 ? SECCOMP_RET_TRAP
                                                          : SECCOMP_RET_ERRNO | error;
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, all ? unsigned{SYS_mprotect} : SYS_membarrier, 0, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROT_NONE, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, answer),
  };
  const sock_fprog filter{std::size(code), code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

void print(asymmetric_strategy within = fencepost::asymmetric_fence_strategy(),
           asymmetric_strategy between = fencepost::interprocess_asymmetric_fence_strategy()) {
  std::printf("%s %s\n", asymmetric_fence_strategy_name(within),
              asymmetric_fence_strategy_name(between));
  std::fflush(stdout);
}

// Before every other initialiser, and therefore before the strategy is decided.
asymmetric_strategy before_first_fence;
asymmetric_strategy after_first_fence;
[[gnu::constructor(101)]] void fence_early() {
  const auto& strategy = fencepost::asymmetric::in_process.strategy;
  fencepost::asymmetric_thread_fence_light();
  before_first_fence = strategy.load();
  fencepost::asymmetric_thread_fence_heavy();
  after_first_fence = strategy.load();
}

int after_sandbox(const char* what, const char* how) {
  print();
  if (!forbid(what, how)) return 77;
  fencepost::asymmetric_thread_fence_heavy();
  const bool reached = fencepost::interprocess_asymmetric_thread_fence_heavy();
  print();
  std::printf("%s\n", reached ? "reached" : "not reached");
  print_litmus(1500);
  return 0;
}

int in_sandboxed_thread(const char* what, const char* how) {
  bool entered = false;
  std::thread([&] {
    entered = forbid(what, how);
    if (!entered) return;
    const bool used = fencepost::use_asymmetric_fence_strategy(asymmetric_strategy::global);
    std::printf("%s\n", used ? "used" : "not used");
  }).join();
  print();
  return entered ? 0 : 77;
}

/// Children that have heavy fences of their own, whatever the other threads were at.
int fork_under_threads() {
  std::atomic<bool> over{false};
  std::thread other([&over] {
    while (!over) fencepost::asymmetric_thread_fence_heavy();
  });
  int failed = 0;
  for (int n = 0; n != 50; ++n) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      fencepost::asymmetric_thread_fence_heavy();
      _exit(0);
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) ++failed;
  }
  over = true;
  other.join();
  print();
  return failed;
}

/// Interrupts of the first processor by other processors' calls so far; -1: not known.
long interrupts() {
  std::FILE* const file = std::fopen("/proc/interrupts", "r");
  if (file == nullptr) return -1;
  long count = -1;
  char text[4096];
  while (std::fgets(text, sizeof text, file) != nullptr) {
    if (const char* const found = std::strstr(text, "CAL:")) count = std::atol(found + 4);
  }
  std::fclose(file);
  return count;
}

/// Whether heavy fences interrupt the first processor, more often than not.
template <class Fence>
void print_reached(const char* where, Fence fence) {
  constexpr int calls = 200;
  const long before = interrupts();
  for (int n = 0; n != calls; ++n) fence();
  std::printf("%s %s\n", interrupts() - before > calls / 2 ? "reached" : "missed", where);
}

int take_over() {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  if (!CPU_ISSET(0, &allowed) || CPU_COUNT(&allowed) < 2 || interrupts() < 0) return 77;
  pin(1);
  std::atomic<int> started{0};
  std::atomic<bool> first_ends{false};
  std::atomic<bool> second_ends{false};
  std::atomic<bool> refused{false};
  const auto run = [&](int priority, const std::atomic<bool>& ends) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
    sched_param real_time{};
    real_time.sched_priority = priority;
    if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &real_time) != 0) refused = true;
    ++started;
    while (!ends && !refused) continue;
  };
  // The second is on its way to the processor when the first leaves it.
  std::thread first(run, 2, std::cref(first_ends));
  while (started != 1) std::this_thread::yield();
  std::thread second(run, 1, std::cref(second_ends));
  std::this_thread::yield();
  first_ends = true;
  first.join();
  while (started != 2) std::this_thread::yield();
  if (!refused) {
    print_reached("within", [] { fencepost::asymmetric_thread_fence_heavy(); });
    print_reached("between",
                  [] { syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0); });
  }
  second_ends = true;
  second.join();
  return refused ? 77 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto is = [&](const char* command, int arguments) {
    return argc > 1 + arguments && std::strcmp(argv[1], command) == 0;
  };
  constexpr auto full_fences = asymmetric_strategy::full_fences;
  if (is("strategy", 0)) {
    print();
  } else if (is("early", 0)) {
    print(before_first_fence, after_first_fence);
  } else if (is("litmus", 1)) {
    print_litmus(static_cast<unsigned>(std::atoi(argv[2])));
  } else if (is("use", 1)) {
    const auto wanted = fencepost::asymmetric::named(argv[2]);
    std::printf("%s\n", fencepost::use_asymmetric_fence_strategy(wanted) ? "used" : "not used");
    print();
    print_litmus(wanted == asymmetric_strategy::global ? 50 : 3000);
  } else if (is("change", 0)) {
    print_litmus(4000, [] { fencepost::use_asymmetric_fence_strategy(full_fences); });
    print();
  } else if (is("fork", 0)) {
    return fork_under_threads();
  } else if (is("take_over", 0)) {
    return take_over();
  } else if (is("forbid", 2)) {
    return after_sandbox(argv[2], argv[3]);
  } else if (is("prepared", 0)) {
    fencepost::use_asymmetric_fence_strategy(full_fences);
    fencepost::use_interprocess_asymmetric_fence_strategy(full_fences);
    return after_sandbox("all", "kill");
  } else if (is("thread", 2)) {
    return in_sandboxed_thread(argv[2], argv[3]);
  } else if (is("old", 1)) {
    if (personality(UNAME26) < 0) return 77;
    execv("/proc/self/exe", argv + 1);
    return 1;
  } else if (is("without", 3)) {
    // The filter stands before the program starts.
    if (!forbid(argv[2], argv[3])) return 77;
    execv("/proc/self/exe", argv + 3);
    return 1;
  } else {
    return 2;
  }
  return 0;
}
