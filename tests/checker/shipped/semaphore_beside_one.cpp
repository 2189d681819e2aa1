// SPDX-License-Identifier: MIT
// libstdc++ 12's std::binary_semaphore as a mutex of two threads, on a real x86-64 processor and a
// real kernel: the execution that `fencepost check` finds, forced. The library is as it is
// installed; only the moments at which the second thread is interrupted are chosen:
//
//   1. behind the load of the count in acquire(): the semaphore lies on a page of its own that may
//      not be accessed at first. The fault lets the load through, a single step stops behind it;
//   2. at the entry of the system call that sleeps: syscall() is the program's own.
//
// A preemption at each of the two does the same, if more rarely. Says what the second thread does
// in the end, and what the count is.
#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <new>
#include <semaphore>
#include <string>
#include <thread>

enum stage { start, has_read_the_count, taken_by_main, about_to_sleep, released_by_main };

std::atomic<stage> now{start};
std::binary_semaphore* semaphore = nullptr;
thread_local bool is_second = false;

void reach(stage next) { now.store(next); }
void await(stage wanted) {
  while (now.load() < wanted) sched_yield();
}

constexpr long single_step = 0x100;  // TF, in the flags of x86

void page_is_touched(int, siginfo_t*, void* where) {
  mprotect(semaphore, 4096, PROT_READ | PROT_WRITE);
  static_cast<ucontext_t*>(where)->uc_mcontext.gregs[REG_EFL] |= single_step;
}

void behind_the_load(int, siginfo_t*, void* where) {
  static_cast<ucontext_t*>(where)->uc_mcontext.gregs[REG_EFL] &= ~single_step;
  reach(has_read_the_count);
  await(taken_by_main);
}

extern "C" long syscall(long number, ...) noexcept {
  std::va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  if (is_second && number == SYS_futex) {
    reach(about_to_sleep);
    await(released_by_main);
  }
  using function = long (*)(long, ...);
  static const auto real = reinterpret_cast<function>(dlsym(RTLD_NEXT, "syscall"));
  return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
              arguments[5]);
}

void handle(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  sigaction(signal, &action, nullptr);
}

// 'S' while it sleeps in the kernel; nothing once it has ended.
char state_of(long thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(file, line);
  const auto name_end = line.rfind(')');
  return name_end == std::string::npos ? ' ' : line[name_end + 2];
}

int main() {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  semaphore = new (page) std::binary_semaphore(1);
  handle(SIGSEGV, page_is_touched);
  handle(SIGTRAP, behind_the_load);
  mprotect(page, 4096, PROT_NONE);

  std::atomic<long> id{0};
  std::atomic<bool> acquired{false};
  std::thread second([&] {
    is_second = true;
    id.store(gettid());
    semaphore->acquire();
    acquired.store(true);
    semaphore->release();
  });

  await(has_read_the_count);
  semaphore->acquire();
  reach(taken_by_main);
  await(about_to_sleep);
  semaphore->release();  // the last thing that anybody does to it
  reach(released_by_main);

  while (!acquired.load() && state_of(id.load()) != 'S') sched_yield();
  int count = 0;
  static_assert(sizeof *semaphore == sizeof count);
  __atomic_load(reinterpret_cast<int*>(page), &count, __ATOMIC_SEQ_CST);
  std::printf("the second thread %s, the count is %d\n",
              acquired.load() ? "acquired" : "sleeps for ever", count);
  std::fflush(stdout);
  _exit(0);
}
