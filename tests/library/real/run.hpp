// SPDX-License-Identifier: MIT
//
// How the suite of real threads runs: how many rounds, how many threads, threads that can be
// watched while they sleep, signals that rain on them, processes that share memory.
//
// Whether a test passes is decided by counts alone. Time comes in where a test can only fail by
// never ending: then the alarm clock ends it. FENCEPOST_ROUNDS is the share of the rounds to run,
// in percent, for emulators and sanitizers. What threads do is handed on as a std::function: a
// thread for each lambda of each instance of a test takes the compiler minutes.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace real {

/// The rounds to run where `all` of them are meant.
inline long rounds(long all) {
  static const long percent = [] {
    const char* const said = std::getenv("FENCEPOST_ROUNDS");
    return said != nullptr ? std::strtol(said, nullptr, 10) : 100;
  }();
  return std::max(all * percent / 100, 2L);
}

/// Eight threads a processor.
inline unsigned crowd() { return 8 * std::clamp(std::thread::hardware_concurrency(), 2U, 4U); }

/// Ends the process by SIGALRM, should the test not end. Far beyond what any test takes.
class failure_bound {
 public:
  failure_bound() { alarm(240); }
  failure_bound(const failure_bound&) = delete;
  failure_bound& operator=(const failure_bound&) = delete;
  ~failure_bound() { alarm(0); }
};

/// What the kernel says of a thread or process: a file of /proc, of which the first bytes do.
inline std::string told_by_kernel(const std::string& path) {
  char text[4096];
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t size = read(file, text, sizeof text);
  close(file);
  return {text, size > 0 ? static_cast<std::size_t>(size) : 0};
}

/// A thread of this process or another process, as seen from outside.
class watched {
 public:
  explicit watched(pid_t thread, pid_t process = getpid())
      : directory_("/proc/" + std::to_string(process) + "/task/" + std::to_string(thread)) {}

  [[nodiscard]] bool is_asleep() const {
    const std::string stat = told_by_kernel(directory_ + "/stat");
    const std::size_t name_end = stat.rfind(") ");
    return name_end != std::string::npos && stat[name_end + 2] == 'S';
  }

  /// How often it has gone to sleep.
  [[nodiscard]] long sleeps() const {
    static const char key[] = "\nvoluntary_ctxt_switches:";
    const std::string status = told_by_kernel(directory_ + "/status");
    const std::size_t found = status.find(key);
    return found == std::string::npos
               ? 0
               : std::strtol(status.c_str() + found + sizeof key - 1, nullptr, 10);
  }

  void until_asleep() const {
    while (!is_asleep()) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

  void until_asleep_again(long slept) const {
    while (sleeps() <= slept || !is_asleep()) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

 private:
  std::string directory_;
};

/// A thread that says when it is about to do what it is for, and can be watched from then on.
class sleeper {
 public:
  explicit sleeper(std::function<void()> work)
      : thread_([this, work = std::move(work)] {
          number_.store(gettid(), std::memory_order_release);
          work();
        }) {}
  ~sleeper() {
    if (thread_.joinable()) thread_.join();
  }
  sleeper(const sleeper&) = delete;
  sleeper& operator=(const sleeper&) = delete;

  [[nodiscard]] watched seen() const {
    pid_t number = 0;
    while ((number = number_.load(std::memory_order_acquire)) == 0) std::this_thread::yield();
    return watched(number);
  }
  void until_asleep() const { seen().until_asleep(); }
  pthread_t handle() { return thread_.native_handle(); }
  void join() { thread_.join(); }

 private:
  std::atomic<pid_t> number_{0};
  std::thread thread_;
};

/// Threads with the numbers 0 to count-1 that all do the same; returns when they have done it.
inline void together(unsigned count, const std::function<void(unsigned)>& work) {
  std::atomic<unsigned> missing{count};
  std::vector<std::thread> threads;
  for (unsigned n = 0; n != count; ++n) {
    threads.emplace_back([&, n] {
      missing.fetch_sub(1, std::memory_order_relaxed);
      while (missing.load(std::memory_order_relaxed) != 0) std::this_thread::yield();
      work(n);
    });
  }
  for (std::thread& one : threads) one.join();
}

/// Handles SIGUSR1 by doing nothing, without SA_RESTART: system calls fail with EINTR.
class interruptions {
 public:
  interruptions() {
    struct sigaction nothing {};
    nothing.sa_handler = [](int) {};
    sigemptyset(&nothing.sa_mask);
    sigaction(SIGUSR1, &nothing, &before_);
  }
  interruptions(const interruptions&) = delete;
  interruptions& operator=(const interruptions&) = delete;
  ~interruptions() { sigaction(SIGUSR1, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

/// As together(), in a rain of signals; returns how many of them fell before all had done their
/// work. There are at least a few hundred: the threads wait for them, at the end.
inline long together_in_a_storm(unsigned count, const std::function<void(unsigned)>& work) {
  const interruptions without_restart;
  const long at_least = rounds(500);
  std::atomic<unsigned> missing{count};
  std::atomic<unsigned> done{0};
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (unsigned n = 0; n != count; ++n) {
    threads.emplace_back([&, n] {
      missing.fetch_sub(1, std::memory_order_relaxed);
      while (missing.load(std::memory_order_relaxed) != 0) std::this_thread::yield();
      work(n);
      done.fetch_add(1, std::memory_order_relaxed);
      // Nobody leaves while signals are sent to it.
      while (!over.load(std::memory_order_relaxed)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  long sent = 0;
  while (done.load(std::memory_order_relaxed) != count || sent < at_least) {
    for (std::thread& one : threads) sent += pthread_kill(one.native_handle(), SIGUSR1) == 0;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  over.store(true, std::memory_order_relaxed);
  for (std::thread& one : threads) one.join();
  return sent;
}

/// This thread, and what it starts, run on one processor for a while.
class on_one_processor {
 public:
  on_one_processor() {
    sched_getaffinity(0, sizeof before_, &before_);
    int one = 0;
    while (!CPU_ISSET(one, &before_)) ++one;
    cpu_set_t chosen;
    CPU_ZERO(&chosen);
    CPU_SET(one, &chosen);
    sched_setaffinity(0, sizeof chosen, &chosen);
  }
  on_one_processor(const on_one_processor&) = delete;
  on_one_processor& operator=(const on_one_processor&) = delete;
  ~on_one_processor() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_{};
};

/// An object in memory that this process shares with those that it forks. It is never destroyed,
/// for some of those may have been killed while they used it.
template <class type>
class in_shared_memory {
 public:
  in_shared_memory() {
    void* const memory =
        mmap(nullptr, sizeof(type), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    object_ = new (memory) type();
  }
  in_shared_memory(const in_shared_memory&) = delete;
  in_shared_memory& operator=(const in_shared_memory&) = delete;
  ~in_shared_memory() { munmap(object_, sizeof(type)); }
  type& operator*() const { return *object_; }
  type* operator->() const { return object_; }

 private:
  type* object_;
};

/// A child that does its work and ends with the status that it returns; it does not outlive us.
class process {
 public:
  explicit process(const std::function<int()>& work) : number_(fork()) {
    if (number_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(240);  // alarms are not inherited
    _exit(work());
  }
  process(const process&) = delete;
  process& operator=(const process&) = delete;
  ~process() {
    if (number_ > 0) kill_now();
  }

  [[nodiscard]] watched seen() const { return watched(number_, number_); }
  void until_asleep() const { seen().until_asleep(); }

  /// Its exit status, or minus the signal that ended it.
  int status() {
    int how = 0;
    while (waitpid(number_, &how, 0) < 0 && errno == EINTR) continue;
    number_ = -1;
    return WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how);
  }

  int kill_now() {
    kill(number_, SIGKILL);
    return status();
  }

 private:
  pid_t number_;
};

}  // namespace real
